import { quantile } from '../statistics.mjs';
import { processorSeconds } from './processes.mjs';

const TEXT = 'the quick brown fox jumps over the lazy dog, then comes back';
// Ids of pumped calls all have seven digits, so that frames can be prepared.
const FIRST_PUMPED_ID = 1_000_000;
const SENT_AT_MASK = 1023;

/** The one client that loads every contender's server: it does as little as a client can. */
export class LoadClient {
  #wire;
  #meta;
  #nextId = 1;
  #nextPumpedId = FIRST_PUMPED_ID;
  /** Of the calls since the measuring began, in milliseconds. */
  #latencies = [];
  /** When a call was sent, by the last digits of its id: more than are ever in flight. */
  #sentAt = new Float64Array(SENT_AT_MASK + 1);

  /** `meta` goes with every call, as stateless revisions require. */
  constructor(wire, meta) {
    this.#wire = wire;
    this.#meta = meta;
  }

  /** One request with nothing else in flight; resolves to the text of the response. */
  exchange(send) {
    const wire = this.#wire;
    return new Promise((resolve, reject) => {
      wire.onEnd = reject;
      wire.onText = (answer) => {
        wire.onText = () => {};
        resolve(answer);
      };
      send(wire);
    });
  }

  async request(method, params) {
    const text = this.serialize(method, params);
    const { result, error } = JSON.parse(await this.exchange((wire) => wire.send(text)));
    if (result === undefined) throw new Error(`${method} was answered with ${JSON.stringify(error)}`);
    return result;
  }

  serialize(method, params) {
    return JSON.stringify({ jsonrpc: '2.0', id: this.#nextId++, method, params });
  }

  async initialize(protocolVersion = '2025-06-18') {
    const clientInfo = { name: 'bench', version: '1.0.0' };
    const result = await this.request('initialize', { protocolVersion, capabilities: {}, clientInfo });
    this.#wire.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    return result;
  }

  callEcho(text) {
    return this.request('tools/call', { name: 'echo', arguments: { text }, _meta: this.#meta });
  }

  /**
   * Keeps `inFlight` echo calls in flight, first for `warmMs`, then for `measureMs`, and resolves to the calls per
   * second of the second part, the time in which 99 of 100 calls got their response and, where a child is given, to its
   * processor time per call.
   */
  async pump({ inFlight, warmMs, measureMs, child = undefined }) {
    const started = performance.now();
    let measuring;
    let figures;
    await this.#call(inFlight, (answered) => {
      const now = performance.now();
      if (measuring === undefined && now - started >= warmMs) {
        measuring = { now, answered, processor: child && processorSeconds(child) };
        this.#latencies.length = 0;
      } else if (figures === undefined && measuring !== undefined && now - measuring.now >= measureMs) {
        figures = figuresSince(measuring, { now, answered, processor: child && processorSeconds(child) });
        figures.p99Microseconds = 1000 * quantile(this.#latencies, 0.99);
      }
      return figures !== undefined;
    });
    return figures;
  }

  /** Makes this number of echo calls, always `inFlight` at once. */
  repeat({ inFlight, calls }) {
    return this.#call(inFlight, (answered) => answered > calls - inFlight);
  }

  /** Keeps calls in flight until `isEnough(answered)` is true; settles when all have been answered. */
  #call(inFlight, isEnough) {
    const wire = this.#wire;
    const params = { name: 'echo', arguments: { text: TEXT }, _meta: this.#meta };
    const request = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'tools/call', params });
    const [beforeId, afterId] = request.split(/(?<="id":)0/);
    const fire = wire.prepare(beforeId, afterId);
    const firstId = this.#nextPumpedId;
    const sentAt = this.#sentAt;
    const latencies = this.#latencies;
    latencies.length = 0;
    let nextId = firstId;
    let answered = 0;
    let fired = 0;

    return new Promise((resolve, reject) => {
      wire.onEnd = reject;
      wire.onText = (text) => {
        const { id, result } = JSON.parse(text);
        if (id < firstId || id >= nextId || result?.content[0].text !== TEXT) {
          reject(new Error(`Wrong answer: ${text}`));
        }
        answered++;
        latencies.push(performance.now() - sentAt[id & SENT_AT_MASK]);
      };
      wire.onPause = () => {
        if (!isEnough(answered)) send(answered + inFlight - fired);
        else if (answered === fired) finish();
      };
      const send = (count) => {
        if (count === 0) return;
        const now = performance.now();
        for (let id = nextId; id < nextId + count; id++) sentAt[id & SENT_AT_MASK] = now;
        fire(nextId, count);
        nextId += count;
        fired += count;
      };
      const finish = () => {
        this.#nextPumpedId = nextId;
        wire.onText = () => {};
        wire.onPause = () => {};
        resolve(undefined);
      };
      send(inFlight);
    });
  }
}

function figuresSince(before, after) {
  const calls = after.answered - before.answered;
  return {
    perSecond: (calls / (after.now - before.now)) * 1000,
    processorMicroseconds: after.processor && ((after.processor - before.processor) / calls) * 1e6,
  };
}
