import { ErrorCode, RpcError } from '@hawser/mcp';

const MAX_NOTES = 10_000;

/** Notes that all processes share: how often each was changed, by name. */
export class Notes {
  #client;
  #key;

  /**
   * @param {import('@redis/client').RedisClientType<any, any, any, any, any>} client
   * @param {string} key
   */
  constructor(client, key) {
    this.#client = client;
    this.#key = key;
  }

  /**
   * Changes a note, or adds it.
   * @param {string} name
   * @returns {Promise<number>} how often it was changed
   */
  async touch(name) {
    const changes = await reached(this.#client.hIncrBy(this.#key, name, 1));
    if (changes > 1 || (await reached(this.#client.hLen(this.#key))) <= MAX_NOTES) return changes;
    await reached(this.#client.hDel(this.#key, name));
    throw new Error(`Note limit reached (${MAX_NOTES}).`);
  }

  /**
   * How often a note was changed; undefined if there is no such note.
   * @param {string} name
   * @returns {Promise<number | undefined>}
   */
  async changesOf(name) {
    const count = await reached(this.#client.hGet(this.#key, name));
    return count === null || count === undefined ? undefined : Number(count);
  }

  /** @returns {Promise<{ [name: string]: number }>} */
  async all() {
    const counts = Object.entries(await reached(this.#client.hGetAll(this.#key)));
    return Object.fromEntries(counts.map(([name, count]) => [name, Number(count)]));
  }
}

/**
 * Tells clients what they can do when Redis is away.
 * @template T
 * @param {Promise<T>} reply
 * @returns {Promise<T>}
 */
async function reached(reply) {
  try {
    return await reply;
  } catch {
    const message = 'Redis was not reached. A note may have been changed; try again if that is safe.';
    throw new RpcError(ErrorCode.InternalError, message);
  }
}
