// @ts-check
// What the places from which users of agents install want to know of our MCP servers, from one description.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../prepare.mjs';

/**
 * @typedef {object} McpServer
 * @property {string} id its name in every place
 * @property {string} title
 * @property {string} description at most 100 characters, as the registry wants it
 * @property {string} folder of its package
 * @property {string} program in its package
 * @property {readonly string[]} args
 * @property {true} [gate] whether it has gates for agents
 * @property {PackageJson} json
 *
 * @typedef {{ name: string, version: string, license: string, mcpName: string, keywords: string[], repository: { url: string, directory: string } }} PackageJson
 */

/** @type {readonly McpServer[]} */
export const servers = [
  {
    id: 'hawser',
    title: 'Hawser',
    description: 'Your editor for your agent: selection, diagnostics, and edits that wait for your decision',
    program: 'bin/hawser.cjs',
    args: ['mcp'],
    gate: true,
    ...packageAt('bridge'),
  },
  {
    id: 'hawser-lisp',
    title: 'Hawser Lisp',
    description: 'A real, persistent Common Lisp: evaluate, load and test systems, debug, find definitions',
    program: 'dist/main.cjs',
    args: [],
    ...packageAt('lisp'),
  },
];

/** @param {string} name */
function packageAt(name) {
  const folder = join(root, 'packages', name);
  /** @type {PackageJson} */
  const json = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { folder, json };
}

/**
 * How to start a server whose package lies in `folder`.
 * @param {McpServer} server
 * @param {string} folder
 */
function started({ program, args }, folder) {
  return { command: 'node', args: [`${folder}/${program}`, ...args] };
}

/** @param {McpServer} server */
function repositoryOf({ json }) {
  return json.repository.url.replace(/^git\+|\.git$/g, '');
}

/**
 * For the official MCP registry, which takes the package from npm.
 * @param {McpServer} server
 */
export function registryEntry(server) {
  const { title, description, args, json } = server;
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: json.mcpName,
    title,
    description,
    repository: { url: repositoryOf(server), source: 'github', subfolder: json.repository.directory },
    version: json.version,
    packages: [
      {
        registryType: 'npm',
        identifier: json.name,
        version: json.version,
        transport: { type: 'stdio' },
        ...(args.length > 0 && { packageArguments: args.map((value) => ({ type: 'positional', value })) }),
      },
    ],
  };
}

/**
 * For an MCP bundle, whose package lies in `server`.
 * @param {McpServer} server
 */
export function bundleManifest(server) {
  const { id, title, description, program, json } = server;
  return {
    manifest_version: '0.3',
    name: id,
    display_name: title,
    version: json.version,
    description,
    author: { name: 'The Hawser authors' },
    repository: { type: 'git', url: repositoryOf(server) },
    license: json.license,
    keywords: json.keywords,
    tools_generated: true,
    server: {
      type: 'node',
      entry_point: `server/${program}`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the agent puts the folder there
      mcp_config: started(server, '${__dirname}/server'),
    },
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: '>=20.19' } },
  };
}

/**
 * For a plugin of Claude Code.
 * @param {McpServer} server
 */
export function claudePlugin(server) {
  const { id, description, json } = server;
  return {
    plugin: {
      name: id,
      version: json.version,
      description,
      author: { name: 'The Hawser authors' },
      repository: repositoryOf(server),
      license: json.license,
      keywords: json.keywords,
    },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the agent puts the folder there
    mcp: { mcpServers: { [id]: started(server, '${CLAUDE_PLUGIN_ROOT}/server') } },
  };
}

/** As `hawser gate on` writes it; a test compares them. */
const DAY_SECONDS = 86_400;
/** For what runs when a turn begins. */
const PROMPT_SECONDS = 10;

/**
 * The gate in a plugin of Claude Code: the hooks of the program in its folder.
 * @param {McpServer} server
 */
export function claudeHooks({ program }) {
  const command = `exec node "\${CLAUDE_PLUGIN_ROOT}/server/${program}" gate hook claude-code`;
  const hook = {
    type: 'command',
    command,
    timeout: DAY_SECONDS,
    onFailure: 'block',
    statusMessage: 'Hawser: waiting for your review',
  };
  return {
    hooks: {
      UserPromptSubmit: [{ hooks: [{ type: 'command', command, timeout: PROMPT_SECONDS }] }],
      PreToolUse: [{ matcher: 'Edit|MultiEdit|Write|NotebookEdit', hooks: [hook] }],
    },
  };
}

/**
 * The same in an extension for the Gemini CLI.
 * @param {McpServer} server
 */
export function geminiHooks({ program }) {
  const command = `exec node "\${extensionPath}/server/${program}" gate hook gemini-cli`;
  const [matcher, hook] = ['replace|write_file', { name: 'hawser', type: 'command', command }];
  return {
    hooks: {
      BeforeAgent: [{ hooks: [{ ...hook, timeout: PROMPT_SECONDS * 1000 }] }],
      BeforeTool: [{ matcher, hooks: [{ ...hook, timeout: DAY_SECONDS * 1000 }] }],
      AfterTool: [{ matcher, hooks: [hook] }],
    },
  };
}

/** For Claude Code, which finds the plugins by this file. */
export function claudeMarketplace() {
  return {
    name: 'hawser',
    description: 'Your editor, and a Common Lisp, for Claude Code',
    owner: { name: 'The Hawser authors' },
    plugins: servers.map(({ id, description }) => ({ name: id, source: `./plugins/${id}`, description })),
  };
}

/**
 * For the Gemini CLI.
 * @param {McpServer} server
 */
export function geminiExtension(server) {
  const { id, description, json } = server;
  return {
    name: id,
    version: json.version,
    description,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the agent puts the folder there
    mcpServers: { [id]: started(server, '${extensionPath}/server') },
  };
}
