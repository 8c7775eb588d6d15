import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { descendantsOf } from './descendants.ts';
import { lossOf } from './loss.ts';
import { MessageReader } from './message-reader.ts';
import { OutputText } from './output-text.ts';
import { withoutRuntimeRemarks } from './runtime-remarks.ts';
import { decodeMessage, encodeInterrupt, encodePerform } from './wire.ts';
import { WorkerProcess } from './worker-process.ts';

const limits = { output: 10, value: 20 };
const text = (frame: string) => {
  const [length = '', ...rest] = frame.split('\n');
  const body = rest.join('\n');
  expect(Number(length)).toBe(Buffer.byteLength(body));
  return body;
};

describe('the wire', () => {
  it('an operation is a number, a list with a kind and arguments, and code', () => {
    const operation = { kind: 'evaluate', code: '(f "a\\b")\n😀', package: 'p', onError: 'break' } as const;
    expect(text(encodePerform(7, operation, limits))).toBe(
      '7 (:evaluate 10 20 :package "p" :on-error :break)\n(f "a\\b")\n😀',
    );
  });

  it('what is not given is not sent', () => {
    expect(text(encodePerform(1, { kind: 'list-definitions' }, limits))).toBe('1 (:list-definitions 10 20)\n');
  });

  it('a debug action carries its arguments as strings in a list', () => {
    const action = { do: 'restart', index: 2, arguments: ['(+ 1 2)', '"x"'] } as const;
    expect(text(encodePerform(1, { kind: 'debug', action }, limits))).toBe(
      '1 (:debug 10 20 :do :restart :index 2 :arguments ("(+ 1 2)" "\\"x\\""))\n',
    );
  });

  it('an interrupt names what it is for', () => {
    expect(text(encodeInterrupt(12))).toBe('(:interrupt 12)');
  });

  it('messages are distinguished', () => {
    expect(decodeMessage('{"hello":"SBCL 2"}')).toEqual({ kind: 'hello', engine: 'SBCL 2' });
    expect(decodeMessage('{"output":3,"stream":"stderr","text":"x"}')).toEqual({
      kind: 'output',
      id: 3,
      stream: 'stderr',
      text: 'x',
    });
    expect(decodeMessage('{"progress":5,"text":"Loading x"}')).toEqual({ kind: 'progress', id: 5, text: 'Loading x' });
    expect(decodeMessage('{"outcome":4,"ok":true}')).toMatchObject({ kind: 'outcome', id: 4 });
    expect(() => decodeMessage('{"else":1}')).toThrow('{"else":1}');
    expect(() => decodeMessage('{')).toThrow();
  });
});

describe('the reader of messages', () => {
  const MEGABYTE = 'x'.repeat(1_000_000);

  it('keeps nothing after a line that is no message', () => {
    const garbage: string[] = [];
    const reader = new MessageReader(
      () => {},
      ({ message }) => garbage.push(message),
    );
    reader.read('no message\n');
    expect(garbage).toHaveLength(1);
    // A line of more than 64 MB would be reported.
    for (let count = 0; count < 70; count++) reader.read(MEGABYTE);
    expect(garbage).toHaveLength(1);
  });

  it('reports a failure of its listener, so that who waits for the message is answered', () => {
    const garbage: string[] = [];
    const reader = new MessageReader(
      () => {
        throw new Error('a bug');
      },
      ({ message }) => garbage.push(message),
    );
    reader.read('{"hello":"SBCL"}\n{"hello":"SBCL"}\n');
    expect(garbage).toEqual(['a bug']);
  });
});

describe('output', () => {
  it('is kept up to its limit, and what is dropped is counted', () => {
    const output = new OutputText(5);
    output.append('abc');
    expect(`${output}`).toBe('abc');
    output.append('defg');
    output.drop(10);
    expect(`${output}`).toBe('abcde…\n(5 of 17 characters; raise "output" with configure-limits to see more)');
  });

  it('is not cut in the middle of a character', () => {
    const output = new OutputText(2);
    output.append('a😀b');
    expect(`${output}`).toMatch(/^a…\n\(1 of 4 characters/);
  });

  it('loses what the runtime says about errors that the outcome describes', () => {
    const heap =
      'Heap exhausted during allocation: 1 bytes\n Gen 0\n   *GC-INHIBIT* = false\n   *STOP-FOR-GC-PENDING* = false\n';
    expect(withoutRuntimeRemarks(`a\nINFO: Control stack guard page unprotected\n${heap}b\n`)).toBe('a\nb\n');
    const variables = 'Collection trigger variables:\n   dynamic_space_size = 1\n   auto_gc_trigger = 2\n';
    expect(withoutRuntimeRemarks(`a\n${heap}${variables}b\n`)).toBe('a\nb\n');
    const unit = '; \n; compilation unit aborted\n;   caught 1 fatal ERROR condition\n';
    expect(withoutRuntimeRemarks(`a\n${unit}`)).toBe('a\n');
    expect(withoutRuntimeRemarks('Heap exhausted, I say')).toBe('Heap exhausted, I say');
  });
});

describe('descendants', () => {
  it('are found, those of descendants too, while threads come and go', async () => {
    const busy = `
      const { spawn } = require('node:child_process');
      const { Worker } = require('node:worker_threads');
      const again = () => new Worker('0', { eval: true }).once('exit', again);
      again();
      const child = spawn('/bin/sh', ['-c', 'sleep 1000 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'inherit'] });
      child.stdout.on('data', (text) => console.log(child.pid + ' ' + text));`;
    const parent = spawn(process.execPath, ['-e', busy], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(parent.stdout.setEncoding('utf8'), 'data');
    const expected = String(line).trim().split(' ').map(Number);
    try {
      for (let count = 0; count < 300; count++) {
        expect(descendantsOf(parent.pid ?? 0)).toEqual(expect.arrayContaining(expected));
      }
    } finally {
      parent.kill('SIGKILL');
      for (const pid of expected) process.kill(pid, 'SIGKILL');
    }
  });
});

describe('a process that has ended', () => {
  it('is not killed again: its number may belong to another one', async () => {
    let resolveEnded = () => {};
    const ended = new Promise<void>((resolve) => {
      resolveEnded = resolve;
    });
    const channel = new WorkerProcess(
      { program: '/bin/true', args: [], environment: {}, group: 'made here' },
      { message: () => {}, leaked: () => {}, ended: () => resolveEnded() },
    );
    await ended;
    const kill = vi.spyOn(process, 'kill');
    channel.kill();
    expect(kill).not.toHaveBeenCalled();
    kill.mockRestore();
  });
});

describe('a loss', () => {
  it.for([
    [{ kind: 'exit', code: 3 }, '', 'exited', 'code 3'],
    [{ kind: 'exit', code: 1 }, 'Heap exhausted, game over.', 'heap-exhausted', 'memory'],
    [{ kind: 'signal', signal: 'SIGSEGV' }, 'last words', 'crashed', 'last words'],
    [{ kind: 'unstarted', error: new Error('ENOENT') }, '', 'crashed', 'ENOENT'],
  ] as const)('%o has a message', ([end, lastWords, kind, words]) => {
    const loss = lossOf(end, lastWords);
    expect(loss.kind).toBe(kind);
    expect(loss.message).toContain(words);
  });
});
