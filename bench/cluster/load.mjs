import { Agent, request } from 'node:http';

const SESSION_VERSION = '2025-11-25';
const STATELESS_VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': STATELESS_VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/logLevel': 'info',
};

/** Sends requests to one endpoint over connections that it keeps open. */
export class Load {
  #agent;
  #port;
  #id = 0;

  constructor(port, connections) {
    this.#port = port;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Opens a session and returns its headers. */
  async openSession() {
    const clientInfo = { name: 'bench', version: '1' };
    const params = { protocolVersion: SESSION_VERSION, capabilities: {}, clientInfo };
    const { headers } = await this.#post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, {});
    const session = { 'Mcp-Session-Id': headers['mcp-session-id'], 'MCP-Protocol-Version': SESSION_VERSION };
    await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
    return session;
  }

  /** Calls a tool, in a session if its headers are given. Settles with the number of bytes of the answer. */
  async call(name, args, session) {
    this.#id += 1;
    const params = { name, arguments: args, ...(session === undefined && { _meta: META }) };
    const stateless = { 'MCP-Protocol-Version': STATELESS_VERSION, 'Mcp-Method': 'tools/call', 'Mcp-Name': name };
    const message = { jsonrpc: '2.0', id: this.#id, method: 'tools/call', params };
    const { status, text } = await this.#post(message, session ?? stateless);
    if (status !== 200 || !text.includes('"result"')) throw new Error(`HTTP ${status}: ${text.slice(0, 200)}`);
    return text.length;
  }

  close() {
    this.#agent.destroy();
  }

  #post(message, headers) {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          ...{ host: '127.0.0.1', port: this.#port, path: '/mcp', method: 'POST', agent: this.#agent },
          headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part) => {
            text += part;
          });
          response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
          response.on('error', reject);
        },
      );
      sent.on('error', reject);
      sent.end(JSON.stringify(message));
    });
  }
}

/** Runs `work` on several lanes at once for some time. Settles with the number of runs and the seconds. */
export async function during(milliseconds, lanes, work) {
  const start = performance.now();
  let runs = 0;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      while (performance.now() - start < milliseconds) {
        await work(lane);
        runs += 1;
      }
    }),
  );
  return { runs, seconds: (performance.now() - start) / 1000 };
}
