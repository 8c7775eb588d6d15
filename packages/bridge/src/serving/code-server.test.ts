import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isAlive } from '@hawser/user-files/alive';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, connectAgent } from '../../testing/agent.ts';
import { writeCodeServer } from '../../testing/code-server.ts';
import { PROGRAM } from '../../testing/program.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { type CodeServer, codeServer } from './code-server.ts';

let home: string;
let command: string;

beforeEach(() => {
  home = temporaryFolder();
  command = writeCodeServer(home).join(' ');
});

describe('a code server', () => {
  const { signal } = new AbortController();
  let server: CodeServer;
  const open = (tool = 'evaluate-lisp', given = command) => {
    server = codeServer({
      command: given,
      tool,
      folder: home,
      identity: { name: 'Hawser', version: '0' },
      onStderr: () => {},
    });
    return server;
  };
  const evaluate = (code: string) => server.evaluate(code, { signal });

  afterEach(() => server.close());

  it('keeps its state from call to call, and failures are results', async () => {
    open();
    expect(await evaluate('a')).toEqual({ text: 'nothing -> a', isError: false });
    expect(await evaluate('b')).toEqual({ text: 'a -> b', isError: false });
    expect(await evaluate('fail')).toEqual({ text: 'DIVISION-BY-ZERO', isError: true });
  });

  it('is one process for calls that come at once, and ends with the bridge', async () => {
    open();
    const [one, two] = await Promise.all([evaluate('pid'), evaluate('pid')]);
    expect(one.text).toBe(two.text);
    await server.close();
    expect(isAlive(Number(one.text))).toBe(false);
    await expect(evaluate('a')).rejects.toThrow('The bridge is closing');
  });

  it('that ended is started anew by the next call, and the one it ended in says why', async () => {
    open();
    await evaluate('a');
    await expect(evaluate('end')).rejects.toThrow('exited with code 7');
    expect(await evaluate('b')).toEqual({ text: 'nothing -> b', isError: false });
  });

  it('that lacks the tool, or cannot be started, is said with what to do about it', async () => {
    open('evaluate');
    await expect(evaluate('a')).rejects.toThrow('has no tool evaluate; it has evaluate-lisp, shout');
    await server.close();
    open('evaluate-lisp', 'no-such-program-anywhere');
    await expect(evaluate('a')).rejects.toThrow('no-such-program-anywhere');
  });

  it('that can not say which tools it has is ended', async () => {
    const [program, pid] = [join(home, 'broken.mjs'), join(home, 'pid')];
    writeFileSync(program, brokenServer(pid));
    open('evaluate-lisp', `${process.execPath} ${program}`);
    await expect(evaluate('a')).rejects.toThrow('out of order');
    expect(isAlive(Number(readFileSync(pid, 'utf8')))).toBe(false);
  });
});

describe('hawser serve --execute-code', () => {
  let child: ChildProcess;
  let agent: Agent;

  const start = async (...args: string[]) => {
    const workspace = join(home, 'work');
    mkdirSync(workspace);
    child = spawn(process.execPath, [PROGRAM, 'serve', '--headless', '--execute-code', command, ...args], {
      cwd: workspace,
      env: { PATH: process.env.PATH, HOME: home, TMPDIR: home },
    });
    const [line] = (await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line')) as [string];
    const [, address = '', lock = ''] = /on (\S+) lock (.+)$/.exec(line) ?? [];
    agent = await connectAgent(address, JSON.parse(readFileSync(lock, 'utf8')).authToken);
    await agent.initialize();
    return workspace;
  };

  afterEach(async () => {
    agent.close();
    if (child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });

  it('lets agents run code by executeCode, and ends what runs it', async () => {
    await start();
    const { tools } = await agent.request('tools/list');
    expect(tools.map(({ name }: { name: string }) => name)).toContain('executeCode');
    expect(await agent.call('executeCode', { code: 'a' })).toEqual(['nothing -> a']);
    expect(await agent.callRaw('executeCode', { code: 'fail' })).toEqual({
      isError: true,
      texts: ['DIVISION-BY-ZERO'],
    });
    const [pid] = await agent.call('executeCode', { code: 'pid' });
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
    expect(isAlive(Number(pid))).toBe(false);
  });

  it('calls the tool that --execute-tool names', async () => {
    await start('--execute-tool', 'shout');
    expect(await agent.call('executeCode', { code: 'a' })).toEqual(['A']);
  });

  it('cancels the code when the agent cancels its request', async () => {
    const workspace = await start();
    const appears = async (name: string) => {
      while (!readable(join(workspace, name))) await agent.settled();
    };
    const { id } = agent.begin('tools/call', { name: 'executeCode', arguments: { code: 'wait' } });
    await appears('waiting');
    agent.notify('notifications/cancelled', { requestId: id });
    await appears('aborted');
  });
});

/** Answers `initialize` and nothing else. Writes its process id to a file. */
function brokenServer(pid: string): string {
  return `
    import { writeFileSync } from 'node:fs';
    import { createInterface } from 'node:readline';
    writeFileSync(${JSON.stringify(pid)}, String(process.pid));
    createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      const serverInfo = { name: 'broken', version: '0' };
      const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
      const outcome = method === 'initialize' ? { result } : { error: { code: -32603, message: 'out of order' } };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
    });
  `;
}

function readable(path: string): boolean {
  try {
    return readFileSync(path, 'utf8') !== '';
  } catch {
    return false;
  }
}
