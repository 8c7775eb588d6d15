/** Pages of the specification by the names that checks use for them. */
const PAGES: Readonly<Record<string, string>> = {
  'Base Protocol': 'basic',
  Lifecycle: 'basic/lifecycle',
  Transports: 'basic/transports',
  Cancellation: 'basic/utilities/cancellation',
  Ping: 'basic/utilities/ping',
  Progress: 'basic/utilities/progress',
  Tasks: 'basic/utilities/tasks',
  Roots: 'client/roots',
  Sampling: 'client/sampling',
  Elicitation: 'client/elicitation',
  Tools: 'server/tools',
  Resources: 'server/resources',
  Prompts: 'server/prompts',
  Completion: 'server/utilities/completion',
  Logging: 'server/utilities/logging',
  Pagination: 'server/utilities/pagination',
  'Schema Reference': 'schema',
  'Key Changes': 'changelog',
};

/** Revision 2026-07-28 moved some and added others. */
const STATELESS_PAGES: Readonly<Record<string, string>> = {
  ...PAGES,
  Cancellation: 'basic/patterns/cancellation',
  Progress: 'basic/patterns/progress',
  'Multi Round-Trip Requests': 'basic/patterns/mrtr',
  'Message Patterns': 'basic/patterns',
  Subscriptions: 'basic/patterns/subscriptions',
  Transports: 'basic/transports',
  stdio: 'basic/transports/stdio',
  'Streamable HTTP': 'basic/transports/streamable-http',
  Versioning: 'basic/versioning',
  Discovery: 'server/discover',
  Caching: 'server/utilities/caching',
};

const DOCUMENTS: readonly (readonly [prefix: string, address: string])[] = [
  ['JSON-RPC 2.0', 'https://www.jsonrpc.org/specification'],
  ['RFC 6455', 'https://www.rfc-editor.org/rfc/rfc6455'],
  ['RFC 9110', 'https://www.rfc-editor.org/rfc/rfc9110'],
  ['MCP Tasks', 'https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md'],
];

/** Where a rule can be read, for a `spec` such as `2025-11-25 Tools §Tool Names`; undefined if there is no such page. */
export function addressOf(spec: string): string | undefined {
  const document = DOCUMENTS.find(([prefix]) => spec.startsWith(`${prefix} §`));
  if (document !== undefined) return document[1];
  const [, revision = '', title = '', heading = ''] = /^(\d{4}-\d\d-\d\d) ([^\u00a7]+) \u00a7(.+)$/.exec(spec) ?? [];
  const page = (revision >= '2026-07-28' ? STATELESS_PAGES : PAGES)[title];
  return page && `https://modelcontextprotocol.io/specification/${revision}/${page}#${anchorOf(heading)}`;
}

/** As the site makes them: `Sending Messages to the Server` is `sending-messages-to-the-server`. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}
