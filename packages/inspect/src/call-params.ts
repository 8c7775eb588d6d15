import { ErrorCode, RpcError } from '@hawser/mcp';
import { isObject, type Members } from '@hawser/unknown-values/objects';

/** A failed call of the page, in words for the user. Errors of the server are another kind. */
export class FailedCall extends RpcError {}

/** The parameters of a call of the page, checked. Every reader throws a FailedCall that names what is wrong. */
export class CallParams {
  readonly #members: Members;
  readonly #path: string;

  constructor(value: unknown, path = '') {
    this.#members = objectIn(value, path || 'params');
    this.#path = path;
  }

  has(name: string): boolean {
    return this.#members[name] !== undefined;
  }

  text(name: string): string {
    const value = this.#members[name];
    if (typeof value !== 'string') throw invalid(`${this.#place(name)} must be a string`);
    return value;
  }

  optionalText(name: string): string | undefined {
    return this.#members[name] === undefined ? undefined : this.text(name);
  }

  choice<const Choice extends string>(name: string, choices: readonly Choice[]): Choice {
    const value = this.#members[name];
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw invalid(`${this.#place(name)} must be one of ${choices.join(', ')}`);
    return found;
  }

  /** An object with any members. */
  object(name: string): Members {
    return objectIn(this.#members[name], this.#place(name));
  }

  /** An object to read further. */
  params(name: string): CallParams {
    return new CallParams(this.#members[name], this.#place(name));
  }

  list(name: string): readonly CallParams[] {
    return this.#items(name).map((item, index) => new CallParams(item, `${this.#place(name)}[${index}]`));
  }

  texts(name: string): readonly string[] {
    const items = this.#items(name);
    if (!items.every((item) => typeof item === 'string')) throw invalid(`${this.#place(name)} must be strings`);
    return items;
  }

  /** An object whose members are all strings. */
  textMembers(name: string): Readonly<Record<string, string>> {
    const members = this.object(name);
    for (const [key, value] of Object.entries(members)) {
      if (typeof value !== 'string') throw invalid(`${this.#place(name)}.${key} must be a string`);
    }
    return members as Readonly<Record<string, string>>;
  }

  #items(name: string): readonly unknown[] {
    const value = this.#members[name];
    if (!Array.isArray(value)) throw invalid(`${this.#place(name)} must be an array`);
    return value;
  }

  #place(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }
}

function objectIn(value: unknown, place: string): Members {
  if (isObject(value)) return value;
  throw invalid(`${place} must be an object`);
}

function invalid(message: string): FailedCall {
  return new FailedCall(ErrorCode.InvalidParams, `Invalid params: ${message}`);
}
