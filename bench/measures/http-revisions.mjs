import { LoadClient } from '../load/load-client.mjs';

const STATELESS_VERSION = '2026-07-28';

/**
 * The two kinds of revisions over HTTP: which headers a request has, and how a client begins. The answer to the first call
 * shows that all that came before it was taken.
 */
export const sessionRevision = {
  headers: ({ sessionVersion }) => ({ 'MCP-Protocol-Version': sessionVersion }),
  async begin(wire, { sessionVersion }) {
    const client = new LoadClient(wire);
    const { protocolVersion } = await client.initialize(sessionVersion);
    if (protocolVersion !== sessionVersion) throw new Error(`wanted ${sessionVersion}, got ${protocolVersion}`);
    await client.callEcho('hello');
    return client;
  },
};

export const statelessRevision = {
  headers: () => ({ 'MCP-Protocol-Version': STATELESS_VERSION, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'echo' }),
  async begin(wire) {
    const client = new LoadClient(wire, {
      'io.modelcontextprotocol/protocolVersion': STATELESS_VERSION,
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    });
    const { resultType } = await client.callEcho('hello');
    if (resultType !== 'complete') throw new Error(`resultType is ${resultType}`);
    return client;
  },
};
