import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@hawser/mcp/client';
import { connectStdio } from '@hawser/mcp/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servers } from '../../scripts/distribution/manifests.mjs';
import { claudeCode } from '../agents/agents/claude-code.ts';
import { geminiCli } from '../agents/agents/gemini-cli.ts';
import { CHANGED, gated, textOf } from '../agents/gated.ts';
import { install } from '../agents/install.ts';
import { TEXT } from '../agents/lines.ts';
import type { RealAgent } from '../agents/real-agent.ts';
import { ScriptedModel } from '../agents/scripted-model.ts';

// Installs what `npm run distribution` has made, with the real programs from npm, into a home of its own.

const root = join(import.meta.dirname, '..', '..');
const made = join(root, 'distribution');
const IDS = servers.map(({ id }) => id);

let home: string;
let env: NodeJS.ProcessEnv;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'hawser-distribution-'));
  env = {
    PATH: process.env.PATH,
    HOME: home,
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  };
});
afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));

async function run(program: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(program, args, { cwd: home, env, timeout: 120_000 });
  return `${stdout}${stderr}`;
}

const HAWSER = join(root, 'packages', 'bridge', 'dist', 'main.cjs');
const gates = () => run(process.execPath, HAWSER, 'gate');

/** The agent with its settings and its plugin: its edit is asked about once, and written when it is accepted. */
async function decidesOnce(agent: RealAgent, program: string, args: readonly string[]): Promise<void> {
  const workspace = mkdtempSync(join(home, 'work-'));
  const path = join(workspace, 'a.txt');
  writeFileSync(path, TEXT);
  const model = await ScriptedModel.open();
  const bridge = spawn(process.execPath, [HAWSER, 'serve', '--headless', '--agents', 'mcp'], { cwd: workspace, env });
  const review = async (...words: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [HAWSER, 'review', ...words], {
      cwd: workspace,
      env,
    });
    return stdout;
  };
  try {
    const edit = gated.find((each) => each.agent === agent)?.edit(path) ?? [];
    model.script([...edit, { say: 'Done.' }]);
    const own = keepSettings(() => agent.start({ home, workspace, modelUrl: model.url }));
    const child = spawn(program, [...args, 'go on'], { cwd: workspace, env: { ...env, ...own.env, IS_SANDBOX: '1' } });
    child.stdin.end();
    const ended = once(child, 'exit');
    const open = async (): Promise<{ id: string }[]> => JSON.parse(await review('--list', '--json').catch(() => '[]'));
    for (;;) if ((await open()).length > 0) break;
    const [only, ...others] = await open();
    expect(others).toEqual([]);
    await review('--accept', only?.id ?? '');
    await ended;
    expect(readFileSync(path, 'utf8')).toBe(textOf(CHANGED));
  } finally {
    bridge.kill();
    await model.close();
  }
}

/** What starts an agent writes its settings anew; what its plugins and gates have added stays. */
function keepSettings<Result>(start: () => Result): Result {
  const paths = ['.claude/settings.json', '.gemini/settings.json'].map((name) => join(home, name));
  const before = paths.map((path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined));
  const result = start();
  for (const [index, path] of paths.entries()) {
    if (before[index] === undefined) continue;
    const now = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
    writeFileSync(path, JSON.stringify({ ...now, ...before[index] }));
  }
  return result;
}

describe('Claude Code', () => {
  let claude: string;
  beforeAll(async () => {
    claude = await install(claudeCode);
  }, 600_000);

  it('finds nothing wrong with the marketplace and its plugins', async () => {
    for (const folder of ['', ...IDS.map((id) => join('plugins', id))]) {
      expect(await run(claude, 'plugin', 'validate', join(made, 'claude-code', folder))).toContain('Validation passed');
    }
  });

  it('installs the plugins from the folder, and connects to their servers', async () => {
    await run(claude, 'plugin', 'marketplace', 'add', join(made, 'claude-code'));
    for (const id of IDS) await run(claude, 'plugin', 'install', `${id}@hawser`);
    const listed = await run(claude, 'mcp', 'list');
    for (const id of IDS) expect(listed).toMatch(new RegExp(`^plugin:${id}:.*Connected$`, 'm'));
    expect(await gates()).toMatch(/claude-code +on +.*plugins.*hooks\.json/);
  });

  it('waits for the user before it edits, with the plugin alone, and asks once with hawser gate on', {
    timeout: 200_000,
  }, async () => {
    for (const more of ['nothing', 'gate on']) {
      if (more === 'gate on') await run(process.execPath, HAWSER, 'gate', 'on', 'claude', '--yes');
      await decidesOnce(claudeCode, claude, ['--permission-mode', 'bypassPermissions', '-p']);
    }
  });
});

describe('Gemini CLI', () => {
  it('installs the extensions from their folders, and knows their servers', { timeout: 600_000 }, async () => {
    const gemini = await install(geminiCli);
    for (const id of IDS) await run(gemini, 'extensions', 'install', join(made, 'gemini-cli', id), '--consent');
    const listed = await run(gemini, 'extensions', 'list');
    for (const { id, json } of servers) expect(listed).toContain(`${id} (${json.version})`);
    const known = await run(gemini, 'mcp', 'list');
    for (const id of IDS) expect(known).toContain(`${id} (from ${id})`);
    expect(await gates()).toMatch(/gemini-cli +on +.*extensions.*hooks\.json/);
    for (const more of ['nothing', 'gate on']) {
      if (more === 'gate on') await run(process.execPath, HAWSER, 'gate', 'on', 'gemini', '--yes');
      await decidesOnce(geminiCli, gemini, ['--yolo', '-p']);
    }
  });
});

describe.each(servers)('the bundle $id', ({ id, json }) => {
  it('is valid, and its server starts as its manifest says', async () => {
    const mcpb = join(root, 'node_modules', '.cache', 'distribution', 'node_modules', '.bin', 'mcpb');
    const folder = join(home, id);
    await run(mcpb, 'unpack', join(made, `${id}.mcpb`), folder);
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: id, version: json.version });
    const { command, args } = manifest.server.mcp_config as { command: string; args: string[] };
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what applications replace
    const words = args.map((word) => word.replace('${__dirname}', folder));
    const session = await new Client({ name: 'application', version: '1' }).connect(
      connectStdio({ command, args: words, cwd: home, env: { PATH: env.PATH ?? '', HOME: home } }),
    );
    expect((await session.listTools()).length).toBeGreaterThan(3);
    await session.close();
  });
});
