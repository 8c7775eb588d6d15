import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, type ClientSession } from '@hawser/mcp/client';
import { connectWebSocket } from '@hawser/mcp/websocket';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../packages/bridge/testing/temporary-folder.ts';
import { LISP_PROGRAM } from './lisp-program.ts';

const BRIDGE_PROGRAM = fileURLToPath(new URL('../packages/bridge/dist/main.cjs', import.meta.url));

let home: string;
let bridge: ChildProcess;
let session: ClientSession;

beforeEach(async () => {
  home = temporaryFolder();
  const command = `${process.execPath} ${LISP_PROGRAM}`;
  bridge = spawn(process.execPath, [BRIDGE_PROGRAM, 'serve', '--headless', '--execute-code', command], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(createInterface({ input: bridge.stdout as NodeJS.ReadableStream }), 'line')) as [string];
  const [, url = '', lock = ''] = /listening on (\S+) lock (.+)$/.exec(line) ?? [];
  const headers = { 'x-claude-code-ide-authorization': JSON.parse(readFileSync(lock, 'utf8')).authToken };
  const client = new Client({ name: 'claude-code', version: '2.1.325' }, { negotiation: 'initialize' });
  session = await client.connect(await connectWebSocket(url, { headers }));
});

afterEach(async () => {
  await session.close();
  const ended = once(bridge, 'exit');
  bridge.kill();
  await ended;
});

const execute = async (code: string) => {
  const { content, isError } = await session.callTool('executeCode', { code });
  return { text: content.map((block) => (block.type === 'text' ? block.text : '')).join('\n'), isError };
};

it('executeCode of a bridge can be a real Lisp that keeps its state and reports errors', async () => {
  expect(await execute('(defun twice (n) (* 2 n)) (twice 21)')).toEqual({ text: '=> 42', isError: undefined });
  expect((await execute('(twice 4)')).text).toBe('=> 8');
  const failed = await execute('(twice :no)');
  expect(failed.isError).toBe(true);
  expect(failed.text).toContain('[ERROR] TYPE-ERROR');
});
