import { isObject } from '../../jsonrpc/codec.ts';
import { fromBase64Url, toBase64Url } from '../../protocol/base64.ts';

/** How long a client may take to respond to a round. */
const LIFETIME_MS = 60 * 60 * 1000;

/** 32 bytes in Base64. */
const SIGNATURE_CHARS = 43;

const encoder = new TextEncoder();

type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/**
 * Signs the state that a client sends back in the next round, so that the client cannot change it: JSON, its expiry and
 * an HMAC. Servers that share a secret accept each other's states.
 */
export class StateSigner {
  readonly #secret: Uint8Array | undefined;
  #key: Promise<SigningKey> | undefined;

  constructor(secret: string | Uint8Array | undefined) {
    this.#secret = typeof secret === 'string' ? encoder.encode(secret) : secret;
  }

  async sign(state: unknown): Promise<string> {
    const body = toBase64Url(JSON.stringify({ state, expires: Date.now() + LIFETIME_MS }));
    const signature = await crypto.subtle.sign('HMAC', await this.#cryptoKey(), encoder.encode(body));
    return `${body}.${toBase64Url(new Uint8Array(signature))}`;
  }

  /** The state; undefined if it was signed with another secret, was changed, or has expired. */
  async verify(signed: string): Promise<unknown> {
    const dot = signed.lastIndexOf('.');
    const [body, signature] = [signed.slice(0, Math.max(dot, 0)), signed.slice(dot + 1)];
    // A client can send megabytes here, which are not decoded.
    const bytes = signature.length === SIGNATURE_CHARS ? fromBase64Url(signature) : undefined;
    if (bytes === undefined) return undefined;
    const genuine = await crypto.subtle.verify('HMAC', await this.#cryptoKey(), bytes, encoder.encode(body));
    // Decoding ignores unused bits, so the text itself must be the one that was signed.
    if (!genuine || toBase64Url(bytes) !== signature) return undefined;
    const { state, expires } = JSON.parse(new TextDecoder().decode(fromBase64Url(body))) as {
      state: unknown;
      expires: number;
    };
    return expires > Date.now() ? state : undefined;
  }

  #cryptoKey(): Promise<SigningKey> {
    this.#key ??= crypto.subtle.importKey(
      'raw',
      this.#secret ?? crypto.getRandomValues(new Uint8Array(32)),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['sign', 'verify'],
    );
    return this.#key;
  }
}

/** A digest that is the same for equal values, whatever the order of their members. */
export async function digest(value: unknown): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', encoder.encode(canonical(value)));
  return toBase64Url(new Uint8Array(bytes));
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (!isObject(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
