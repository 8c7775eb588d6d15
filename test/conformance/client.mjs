// The client that the official conformance suite drives: it runs this file with the URL of its server as the last
// argument and the scenario in the environment, and judges what it sees on the wire.
import { Client } from '@hawser/mcp/client';
import { connectHttp } from '@hawser/mcp/http';
import { authorizationFor } from './oauth.mjs';

const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;

/** @type {Record<string, (session: import('@hawser/mcp/client').ClientSession) => Promise<unknown>>} */
const scenarios = {
  initialize: (session) => session.listTools(),
  tools_call: async (session) => {
    await session.listTools();
    await session.callTool('add_numbers', { a: 5, b: 3 });
  },
  'elicitation-sep1034-client-defaults': (session) => session.callTool('test_client_elicitation_defaults'),
  'sse-retry': async (session) => {
    await session.listTools();
    await session.callTool('test_reconnection');
  },
  'request-metadata': (session) => session.listTools(),
  'sep-2322-client-request-state': async (session) => {
    await session.listTools();
    // Together, so that one waits while the others are asked.
    await Promise.all(
      ['test_mrtr_echo_state', 'test_mrtr_no_state', 'test_mrtr_unrelated', 'test_mrtr_no_result_type'].map((tool) =>
        session.callTool(tool),
      ),
    );
  },
  'http-standard-headers': async (session) => {
    await session.listTools();
    await session.callTool('test_headers');
    await session.callTool('my-hyphenated-tool');
    await session.listResources();
    await session.readResource('file:///path/to/file%20name.txt');
    await session.listPrompts();
    await session.getPrompt('test_prompt');
  },
  'http-custom-headers': async (session) => {
    await session.listTools();
    for (const { name, arguments: args } of JSON.parse(context).toolCalls) await session.callTool(name, args);
  },
  'http-invalid-tool-headers': async (session) => {
    for (const { name } of await session.listTools()) await session.callTool(name, { region: 'us-west1' });
  },
  'json-schema-ref-no-deref': (session) => session.listTools(),
  'json-schema-2020-12-preservation': async (session) => {
    const tools = await session.listTools();
    const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema;
    await session.callTool('json_schema_echo', { schema });
  },
};

/** All scenarios about OAuth: two requests, of which the second may need more scopes or another authorization server. */
const authorized = async (/** @type {import('@hawser/mcp/client').ClientSession} */ session) => {
  await session.listTools();
  await session.callTool('test-tool');
};

/** In these the client must see that something is wrong, and go no further. */
const refused = [
  'auth/scope-retry-limit',
  'auth/resource-mismatch',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
  'auth/metadata-issuer-mismatch',
];

const isAboutOAuth = scenario.startsWith('auth/');
const run = isAboutOAuth ? authorized : scenarios[scenario];
if (run === undefined) {
  console.error(`This client does not play the scenario ${scenario}`);
  process.exit(1);
}

const client = new Client(
  { name: 'hawser-conformance-client', version: '1.0.0' },
  {
    // Most forms of the suite are answered by their defaults; the others ask for a confirmation.
    elicit: (params) => {
      const { properties = {} } = /** @type {{ properties?: object }} */ (
        'requestedSchema' in params ? params.requestedSchema : {}
      );
      return { action: 'accept', content: 'confirmed' in properties ? { confirmed: true } : {} };
    },
    createMessage: () => ({ role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'test-model' }),
    roots: () => [],
  },
);
const url = /** @type {string} */ (process.argv.at(-1));
const options = isAboutOAuth ? { authorization: await authorizationFor(scenario, url, JSON.parse(context)) } : {};
try {
  await run(await client.connect(connectHttp(url, options)));
  if (refused.includes(scenario)) throw new Error('The client has noticed nothing');
} catch (error) {
  const isExpected = refused.includes(scenario) && /** @type {Error} */ (error).name === 'OAuthError';
  if (!isExpected) throw error;
}
await client.close();
