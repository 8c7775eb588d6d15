import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@hawser/mcp/client';
import { connectStdio } from '@hawser/mcp/stdio';
import { describe, expect, it } from 'vitest';

// What the pages tell their readers to type exists. `hawser-command.test.ts` and `readme-examples.test.ts` run it.

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
const program = join(root, 'packages', 'bridge', 'dist', 'main.cjs');
const hawser = async (...args: string[]) => (await run(process.execPath, [program, ...args])).stdout;

const tutorials = readdirSync(join(root, 'docs', 'tutorials')).map((name) => `docs/tutorials/${name}`);
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/install.md',
  'docs/agents.md',
  'docs/neovim.md',
  'packages/bridge/README.md',
  ...tutorials,
];

/** The commands in a page: lines of shell blocks, and code within the text. */
function commandsIn(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const lines = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) => block.split('\n'));
  const inline = [...text.replace(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...lines, ...inline]
    .flatMap((line) => line.replace(/\s#.*/, '').split(/&&|\|(?!\w)/))
    .map((each) => each.trim());
}

const all = PAGES.flatMap((page) => commandsIn(page).map((command) => ({ page, command })));

it('every npm script that a page names is there', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const named = all.flatMap(({ command }) => /^npm run ([\w:-]+)/.exec(command)?.[1] ?? []);
  expect(named.length).toBeGreaterThan(10);
  for (const name of named) expect(Object.keys(scripts)).toContain(name);
});

it('CONTRIBUTING.md names every npm script', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const commands = commandsIn('CONTRIBUTING.md').flatMap(
    (command) => /^npm (?:run )?([\w:-]+)/.exec(command)?.[1] ?? [],
  );
  expect(commands).toEqual(expect.arrayContaining(Object.keys(scripts)));
});

describe('every hawser command that a page names', () => {
  const uses = all.flatMap(({ page, command }) => {
    const [, name, rest = ''] = /^hawser ([a-z]+)\b(.*)$/.exec(command) ?? [];
    return name === undefined
      ? []
      : [{ page, command, name, options: rest.split(' -- ')[0]?.match(/--[a-z-]+/g) ?? [] }];
  });

  it('exists, with its options', async () => {
    expect(uses.length).toBeGreaterThan(20);
    const listed = [...(await hawser('--help')).matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name);
    for (const name of new Set(uses.map((use) => use.name))) {
      const pages = uses.filter((use) => use.name === name);
      expect(listed, pages[0]?.page).toContain(name);
      const help = await hawser(name, '--help');
      for (const { options, command } of pages) for (const option of options) expect(help, command).toContain(option);
    }
  });
});

it('the server of the README answers', async () => {
  const [, code = ''] = /^```js\n(.*?)^```$/ms.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'readme-'));
  try {
    writeFileSync(join(folder, 'server.mjs'), code);
    const connection = connectStdio({ command: process.execPath, args: [join(folder, 'server.mjs')] });
    const session = await new Client({ name: 'reader', version: '1' }).connect(connection);
    const { content } = await session.callTool('greet', { who: 'Ada' });
    await session.close();
    expect(content).toEqual([{ type: 'text', text: 'Hello, Ada!' }]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
