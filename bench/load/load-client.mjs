import { processorSeconds } from './processes.mjs';

const TEXT = 'the quick brown fox jumps over the lazy dog, then comes back';
// Ids of pumped calls all have seven digits, so that frames can be prepared.
const FIRST_PUMPED_ID = 1_000_000;

/** The one client that loads every contender's server: it does as little as a client can. */
export class LoadClient {
  #wire;
  #nextId = 1;
  #nextPumpedId = FIRST_PUMPED_ID;

  constructor(wire) {
    this.#wire = wire;
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

  async initialize() {
    const clientInfo = { name: 'bench', version: '1.0.0' };
    const result = await this.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    this.#wire.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    return result;
  }

  callEcho(text) {
    return this.request('tools/call', { name: 'echo', arguments: { text } });
  }

  /**
   * Keeps `inFlight` echo calls in flight, first for `warmMs`, then for `measureMs`, and resolves to the calls per
   * second of the second part and, where a child is given, to its processor time per call.
   */
  pump({ inFlight, warmMs, measureMs, child }) {
    const wire = this.#wire;
    const request = JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'tools/call',
      params: { name: 'echo', arguments: { text: TEXT } },
    });
    const [beforeId, afterId] = request.split(/(?<="id":)0/);
    const fire = wire.prepare(beforeId, afterId);
    const firstId = this.#nextPumpedId;
    let nextId = firstId;
    let answered = 0;
    let fired = 0;
    let measuring;
    let figures;
    const started = performance.now();

    return new Promise((resolve, reject) => {
      wire.onEnd = reject;
      wire.onText = (text) => {
        const { id, result } = JSON.parse(text);
        if (id < firstId || id >= nextId || result.content[0].text !== TEXT) {
          reject(new Error(`Wrong answer: ${text}`));
        }
        answered++;
      };
      wire.onPause = () => {
        const now = performance.now();
        if (measuring === undefined && now - started >= warmMs) {
          measuring = { now, answered, processor: child && processorSeconds(child) };
        } else if (figures === undefined && measuring !== undefined && now - measuring.now >= measureMs) {
          figures = figuresSince(measuring, { now, answered, processor: child && processorSeconds(child) });
        }
        if (figures === undefined) send(answered + inFlight - fired);
        else if (answered === fired) finish();
      };
      const send = (count) => {
        if (count === 0) return;
        fire(nextId, count);
        nextId += count;
        fired += count;
      };
      const finish = () => {
        this.#nextPumpedId = nextId;
        wire.onText = () => {};
        wire.onPause = () => {};
        resolve(figures);
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
