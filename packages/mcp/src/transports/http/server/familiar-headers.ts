import { type IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** The names of headers as a client sends them and as they are called here, and an object with these and no values. */
interface Familiar {
  readonly sent: readonly string[];
  readonly called: readonly string[];
  readonly blank: IncomingHttpHeaders;
}

/** Of `rawHeaders`; longer ones are left to Node. */
const MAX_LENGTH = 64;

/**
 * A class of requests for `createServer`. Clients send headers of the same names in the same order again and again, and
 * Node brings every name into its form each time, which is a twentieth of what a small request takes. Here it is done
 * once for each list of names.
 */
export function requestsWithFamiliarHeaders(): typeof IncomingMessage {
  /** The last list of each length: clients and methods that differ in their names mostly differ in that. */
  const familiar = new Map<number, Familiar>();

  class FamiliarRequest extends IncomingMessage {
    #headers: IncomingHttpHeaders | undefined;

    static {
      // An accessor in Node, a property in its types.
      Object.defineProperty(FamiliarRequest.prototype, 'headers', {
        get(this: FamiliarRequest) {
          this.#headers ??= withNames(familiar.get(this.rawHeaders.length), this.rawHeaders) ?? this.#asNodeReadsThem();
          return this.#headers;
        },
        set(this: FamiliarRequest, headers: IncomingHttpHeaders) {
          this.#headers = headers;
        },
      });
    }

    #asNodeReadsThem(): IncomingHttpHeaders {
      const { rawHeaders } = this;
      const headers: IncomingHttpHeaders = Reflect.get(IncomingMessage.prototype, 'headers', this);
      const sent = rawHeaders.filter((_, index) => index % 2 === 0);
      const called = sent.map((name) => name.toLowerCase());
      // Those that come twice, or that Node makes something else of, have no value of their own.
      const isPlain =
        Object.keys(headers).length === called.length &&
        called.every((name, index) => headers[name] === rawHeaders[index * 2 + 1]);
      if (isPlain && rawHeaders.length <= MAX_LENGTH) {
        familiar.set(rawHeaders.length, { sent, called, blank: Object.fromEntries(called.map((name) => [name, ''])) });
      }
      return headers;
    }
  }
  return FamiliarRequest;
}

/** Undefined when these are other names. */
function withNames(familiar: Familiar | undefined, rawHeaders: readonly string[]): IncomingHttpHeaders | undefined {
  if (familiar === undefined) return undefined;
  const { sent, called } = familiar;
  const headers = { ...familiar.blank };
  for (let index = 0; index < sent.length; index++) {
    if (rawHeaders[index * 2] !== sent[index]) return undefined;
    headers[called[index] as string] = rawHeaders[index * 2 + 1];
  }
  return headers;
}
