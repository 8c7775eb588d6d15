// @ts-check
// Runs `hawser check --call` on other servers, each over each of its transports, and prints what it found:
//   npm run build && node scripts/check-servers.mjs [NAME…]
// The packages are installed into a temporary folder; HAWSER_CHECK_SERVERS names one to keep and to use again.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './prepare.mjs';

const VERSIONS = {
  '@modelcontextprotocol/sdk': '1.32.2',
  '@modelcontextprotocol/server': '2.4.0',
  '@modelcontextprotocol/node': '2.1.2',
  '@modelcontextprotocol/server-everything': '2026.8.31',
  '@modelcontextprotocol/server-filesystem': '2026.8.31',
  '@modelcontextprotocol/server-memory': '2026.8.31',
  fastmcp: '4.20.16',
  'mcp-lite': '0.10.0',
  tmcp: '1.20.0',
  '@tmcp/adapter-zod': '0.1.7',
  '@tmcp/transport-http': '0.9.0',
  '@tmcp/transport-stdio': '0.5.0',
  '@hono/node-server': '2.1.6',
  hono: '4.13.17',
  zod: '4.6.7',
};

const kept = process.env.HAWSER_CHECK_SERVERS;
const folder = kept ?? mkdtempSync(join(tmpdir(), 'hawser-check-servers-'));
/** @param {string} name */
const packaged = (name) => join(folder, 'node_modules', '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js');

/** @type {readonly { name: string, transports: readonly ('stdio' | 'http')[], command(transport: string): string[], env?: Record<string, string> }[]} */
const SERVERS = [
  ...['sdk-v1', 'sdk-v2', 'fastmcp', 'tmcp'].map((name) => ({
    name,
    transports: /** @type {const} */ (['stdio', 'http']),
    command: (/** @type {string} */ transport) => [join(folder, `${name}.mjs`), transport],
  })),
  { name: 'mcp-lite', transports: ['http'], command: () => [join(folder, 'mcp-lite.mjs')] },
  { name: 'everything', transports: ['stdio'], command: () => [packaged('everything'), 'stdio'] },
  { name: 'filesystem', transports: ['stdio'], command: () => [packaged('filesystem'), join(folder, 'shared')] },
  {
    name: 'memory',
    transports: ['stdio'],
    command: () => [packaged('memory')],
    env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
  },
];

install();
const chosen = process.argv.slice(2);
const rows = [];
try {
  for (const { name, transports, command, env = {} } of SERVERS) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    for (const transport of transports) rows.push(await check(name, transport, command(transport), env));
  }
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}
console.log('\n| server | passed | errors | warnings | notes | skipped |\n|---|---|---|---|---|---|');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);

function install() {
  if (!existsSync(join(folder, 'node_modules', 'zod'))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: VERSIONS }));
    const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--silent'], {
      cwd: folder,
      stdio: 'inherit',
    });
    if (status !== 0) throw new Error('npm install failed');
  }
  mkdirSync(join(folder, 'shared'), { recursive: true });
  cpSync(join(root, 'scripts', 'check-servers'), folder, { recursive: true });
}

/**
 * @param {string} name
 * @param {'stdio' | 'http'} transport
 * @param {readonly string[]} command
 * @param {Record<string, string>} env
 */
async function check(name, transport, command, env) {
  const environment = { ...process.env, ...env };
  if (transport === 'stdio')
    return await report(`${name}, stdio`, ['--stdio', ['node', ...command].join(' ')], environment);
  const server = spawn(process.execPath, command, { env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    // Some print a greeting first.
    let url = '';
    for await (const line of createInterface({ input: server.stdout })) {
      url = line;
      if (url.startsWith('http:')) break;
    }
    return await report(`${name}, http`, ['--url', url], environment);
  } finally {
    server.kill();
  }
}

/**
 * @param {string} title
 * @param {readonly string[]} target
 * @param {NodeJS.ProcessEnv} env
 */
async function report(title, target, env) {
  const args = [join(root, 'packages', 'bridge', 'bin', 'hawser.cjs'), 'check', '--json', '--call', ...target];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  await once(child, 'close');
  if (text === '') throw new Error(`${title} could not be checked: ${args.slice(1).join(' ')}`);
  /** @type {{ summary: Record<string, number>, results: Record<string, string>[] }} */
  const { summary, results } = JSON.parse(text);
  const failed = results.filter(({ status }) => status === 'failed');
  console.log(`\n## ${title}`);
  for (const { id, severity = '', seen = '' } of failed)
    console.log(`${severity.padEnd(8)}${id}: ${seen.slice(0, 160).replaceAll('\n', ' ')}`);
  const count = (/** @type {string} */ severity) => failed.filter((each) => each.severity === severity).length;
  return [title, summary.passed, count('error'), count('warning'), count('info'), summary.skipped];
}
