import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Recorder } from '../../../testing/recorder.ts';
import { Client } from '../../client/client.ts';
import { type ConnectStdioOptions, connectStdio } from './connect.ts';

const node = (script: string, options: Partial<ConnectStdioOptions> = {}) =>
  connectStdio({ command: process.execPath, args: ['-e', script], ...options });

/** A server that is connected to. */
function started(script: string, options: Partial<ConnectStdioOptions> = {}) {
  const connection = node(script, options);
  const received = new Recorder();
  connection.start(received);
  return { connection, received };
}

const ECHO = 'process.stdin.pipe(process.stdout)';

describe('connectStdio', () => {
  it('speaks with the process it started and ends it by closing its stdin', async () => {
    const { connection, received } = started(ECHO);
    connection.send({ jsonrpc: '2.0', method: 'hello', params: { n: 1 } });
    await received.until(({ messages }) => messages.length === 1);
    expect(received.messages).toEqual([{ jsonrpc: '2.0', method: 'hello', params: { n: 1 } }]);
    await connection.close('done');
    expect(await connection.exit).toMatchObject({ code: 0, signal: null });
    expect(received.closings.map(({ message }) => message)).toEqual(['done']);
  });

  it('a server that dies is reported with its exit code and the end of its stderr', async () => {
    const { connection, received } = started('console.error("disk on fire"); process.exit(3)');
    await received.until(({ closings }) => closings.length > 0);
    expect(received.closings[0]?.message).toContain('exited with code 3; the end of its stderr:\ndisk on fire');
    expect(await connection.exit).toMatchObject({ code: 3, stderrTail: 'disk on fire\n' });
  });

  it('a server that is killed is reported with the signal', async () => {
    const { connection, received } = started(ECHO);
    connection.send({ jsonrpc: '2.0', method: 'up?' });
    await received.until(({ messages }) => messages.length === 1);
    process.kill(connection.pid as number, 'SIGKILL');
    await received.until(({ closings }) => closings.length > 0);
    expect(received.closings[0]?.message).toContain('was ended by SIGKILL');
  });

  it('a server has a process group of its own if that is asked for', async () => {
    const groupOf = async (options: Partial<ConnectStdioOptions>) => {
      const connection = node(ECHO, options);
      connection.start(new Recorder());
      const { execFileSync } = await import('node:child_process');
      const group = Number(execFileSync('ps', ['-o', 'pgid=', '-p', String(connection.pid)], { encoding: 'utf8' }));
      await connection.close();
      return group === connection.pid;
    };
    expect(await groupOf({ processGroup: 'own' })).toBe(true);
    expect(await groupOf({})).toBe(false);
  });

  describe('the environment of a server', () => {
    const variablesOf = async (options: Partial<ConnectStdioOptions>) => {
      const { connection, received } = started(
        'console.log(JSON.stringify({ jsonrpc: "2.0", method: "env", params: process.env }))',
        options,
      );
      await received.until(({ messages }) => messages.length === 1);
      await connection.close();
      return (received.messages[0] as { params: Record<string, string> }).params;
    };
    beforeEach(() => {
      vi.stubEnv('A_SECRET', 'hunter2');
      vi.stubEnv('SHELL', '() { bad; }');
    });
    afterEach(() => void vi.unstubAllEnvs());

    it('has the variables that every program needs, and no other', async () => {
      const variables = await variablesOf({});
      expect(variables).toMatchObject({ PATH: process.env.PATH });
      const allowed = ['HOME', 'LOGNAME', 'PATH', 'TERM', 'USER', '__CF_USER_TEXT_ENCODING'];
      expect(Object.keys(variables).filter((name) => !allowed.includes(name))).toEqual([]);
    });

    it('has what env adds', async () => {
      const variables = await variablesOf({ env: { MINE: '1', HOME: '/elsewhere' } });
      expect(variables).toMatchObject({ MINE: '1', HOME: '/elsewhere', PATH: process.env.PATH });
      expect(variables).not.toHaveProperty('A_SECRET');
    });

    it('is all of this process with inheritEnv', async () => {
      expect(await variablesOf({ inheritEnv: true, env: { MINE: '1' } })).toMatchObject({
        A_SECRET: 'hunter2',
        MINE: '1',
      });
    });
  });

  it('a command that does not exist is reported as such', async () => {
    const connection = connectStdio({ command: 'no-such-command-anywhere' });
    const received = new Recorder();
    connection.start(received);
    await received.until(({ closings }) => closings.length > 0);
    expect(received.closings[0]?.message).toBe(
      'Could not start no-such-command-anywhere: spawn no-such-command-anywhere ENOENT',
    );
    expect((await connection.exit).error?.message).toContain('ENOENT');
  });

  it('a client says the same, without advice that does not help', async () => {
    const connecting = new Client({ name: 'test', version: '1' }).connect(connectStdio({ command: 'no-such-command' }));
    await expect(connecting).rejects.toThrow(/^Could not start no-such-command: spawn no-such-command ENOENT$/);
  });

  it('a server that ignores the end of its stdin is ended by signal', async () => {
    const stubborn = 'process.on("SIGTERM", () => {}); console.log("{}"); setInterval(() => {}, 1000)';
    const { connection, received } = started(stubborn, { exitTimeout: 50 });
    await received.until(({ malformations }) => malformations.length > 0);
    await connection.close();
    expect(await connection.exit).toMatchObject({ code: null, signal: 'SIGKILL' });
  });

  it('a server that closes its output and goes on is ended by signal, and the reason is its output', async () => {
    const script = 'console.error("busy"); require("fs").closeSync(1); setInterval(() => {}, 1000)';
    const { connection, received } = started(script, { exitTimeout: 50 });
    await received.until(({ closings }) => closings.length > 0);
    expect(received.closings[0]?.message).toBe('The peer closed its output; the end of its stderr:\nbusy');
    expect(await connection.exit).toMatchObject({ signal: 'SIGTERM' });
  });

  it('hands out stderr as it comes and keeps only its end', async () => {
    const chunks: string[] = [];
    const connection = node('process.stderr.write("x".repeat(10000) + "end")', {
      onStderr: (text) => chunks.push(text),
    });
    connection.start(new Recorder());
    const { stderrTail } = await connection.exit;
    expect(chunks.join('')).toHaveLength(10003);
    expect(stderrTail).toBe(`${'x'.repeat(4093)}end`);
  });

  const fail = (): never => {
    throw new Error('no ear');
  };

  it.each([
    ['throws', fail],
    ['rejects', async () => fail()],
  ])('onStderr that %s goes to onError and the connection lives on', async (_, onStderr) => {
    const errors: string[] = [];
    const { connection, received } = started(`console.error('noise'); ${ECHO}`, {
      onStderr,
      onError: ({ message }) => {
        errors.push(message);
        throw new Error('no better');
      },
    });
    connection.send({ jsonrpc: '2.0', method: 'hello' });
    await received.until(({ messages }) => messages.length === 1);
    await connection.close();
    expect(errors).toEqual(['no ear']);
  });

  it('gives the server its environment and folder', async () => {
    const script =
      'console.log(JSON.stringify({jsonrpc:"2.0",method:"report",params:[process.env.FLAG,process.cwd()]}))';
    const { connection, received } = started(script, { env: { FLAG: 'up' }, cwd: '/' });
    await received.until(({ messages }) => messages.length === 1);
    expect(received.messages[0]).toMatchObject({ params: ['up', '/'] });
    await connection.exit;
  });
});
