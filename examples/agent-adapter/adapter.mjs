// An agent adapter: how one kind of agent finds the bridge and speaks with it. This agent is a script that asks with curl:
//   curl -H "Authorization: Bearer $TOKEN" "$URL/selection"
// URL and TOKEN are in a private file, as with every adapter.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

/**
 * @param {{ file: string }} options where scripts find the address and the token
 * @returns {import('hawser').AgentAdapter}
 */
export function curlAdapter({ file }) {
  return { name: 'curl', open: (bridge) => open(bridge, file) };
}

/**
 * @param {import('hawser').BridgeServices} bridge
 * @param {string} file
 * @returns {Promise<import('hawser').OpenAdapter>}
 */
async function open({ editor, log }, file) {
  const token = randomBytes(32).toString('hex');
  const expected = Buffer.from(`Bearer ${token}`);
  const server = createServer(async (request, response) => {
    const given = Buffer.from(request.headers.authorization ?? '');
    const isKnown = given.length === expected.length && timingSafeEqual(given, expected);
    if (!isKnown) return void response.writeHead(401).end();
    if (request.url !== '/selection') return void response.writeHead(404).end();
    // Paused, or a file that agents may not see: the shared editor answers accordingly. Nothing to check here.
    const answer = await editor.selection().catch((error) => ({ kind: 'refused', reason: error.message }));
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${address.port}`;
  writeFileSync(file, JSON.stringify({ url, token }), { mode: 0o600, flag: 'wx' });
  log.info('listening', { agent: 'curl', url });
  const removeDiscovery = () => rmSync(file, { force: true });
  return {
    name: 'curl',
    endpoints: [url],
    discoveryFiles: [file],
    environment: { HAWSER_CURL_FILE: file },
    clients: () => [],
    removeDiscovery,
    close: async () => {
      removeDiscovery();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
