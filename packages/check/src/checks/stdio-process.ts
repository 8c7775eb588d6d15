import type { Check } from '../check.ts';
import { shown } from '../in-words.ts';
import { answersIn, expectAlive, expectResult } from './expectations.ts';
import { pingText as ping, within } from './stdio.ts';

const STDIO = '2025-11-25 Transports §stdio';
const SHUTDOWN = '2025-11-25 Lifecycle §Shutdown';
const needs = ['stdio', 'sessions'] as const;
/** Milliseconds that a server has to exit in. */
const EXIT_MS = 3000;

/** A line that is written in an unusual way, and must be answered as any other. */
function readsLine(facts: Pick<Check, 'id' | 'title' | 'severity'>, line: string): Check {
  return {
    ...facts,
    spec: STDIO,
    needs,
    run: async (subject) => {
      const { session, wire } = await subject.sharedProcess();
      wire.write(line);
      return expectResult(await session.answerTo(facts.id), () => true, 'a result');
    },
  };
}

export const stdioProcessChecks: readonly Check[] = [
  {
    id: 'stdio-bom',
    title: 'A byte order mark at the start of stdin is skipped',
    severity: 'info',
    spec: STDIO,
    needs,
    run: async (subject) => {
      const session = await subject.bare();
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'hawser-check', version: '1' },
      };
      session.wire.send(`\ufeff${JSON.stringify({ jsonrpc: '2.0', id: 'bom', method: 'initialize', params })}`);
      return expectResult(await session.answerTo('bom'), () => true, 'a result');
    },
  },
  readsLine(
    { id: 'stdio-whitespace', title: 'White space around a message is skipped', severity: 'info' },
    `  \t${ping('stdio-whitespace')}  \n`,
  ),
  readsLine(
    {
      id: 'stdio-line-separators',
      title: 'Only a line feed ends a line, not other characters that break lines',
      severity: 'error',
    },
    `{"jsonrpc":"2.0","id":"stdio-line-separators","method":"ping","params":{"_meta":{"x":"\u2028\u2029\u0085"}}}\n`,
  ),
  {
    id: 'stdio-last-line',
    title: 'The last line is read without a line end',
    severity: 'info',
    spec: STDIO,
    needs,
    run: async (subject) => {
      const { session, wire } = await subject.process();
      wire.write(ping('unended'));
      wire.endInput();
      return expectResult(await session.answerTo('unended'), () => true, 'a result, then the exit');
    },
  },
  {
    id: 'stdio-many-lines',
    title: '500 messages that arrive at once are all answered',
    severity: 'error',
    spec: STDIO,
    needs,
    run: async (subject) => {
      const { session, wire } = await subject.sharedProcess();
      const ids = Array.from({ length: 500 }, (_, index) => `line-${index}`);
      wire.write(ids.map((id) => `${ping(id)}\n`).join(''));
      const answered = new Set(answersIn(await session.settle()).map(({ id }) => id));
      const missing = ids.filter((id) => !answered.has(id)).length;
      return missing === 0 ? undefined : { seen: `${missing} of 500 without an answer`, expected: 'an answer to each' };
    },
  },
  {
    id: 'stdio-nul',
    title: 'The connection survives a line with a NUL byte',
    severity: 'warning',
    spec: STDIO,
    needs,
    run: async (subject) => {
      const { session, wire } = await subject.sharedProcess();
      wire.write('\0\n');
      return expectAlive(await session.settle());
    },
  },
  {
    id: 'stdio-stdout-errors',
    title: 'Nothing but messages is written to stdout after bad input',
    severity: 'error',
    spec: STDIO,
    needs,
    run: async (subject) => {
      const { session, wire } = await subject.sharedProcess();
      for (const line of ['not JSON', '[]', '{"jsonrpc":"2.0","id":{},"method":5}']) wire.write(`${line}\n`);
      wire.send({ jsonrpc: '2.0', id: 'unknown', method: 'hawser/no-such-method' });
      const { received } = await session.settle();
      const garbage = received.find((item) => item.kind === 'garbage');
      return garbage?.kind === 'garbage'
        ? { seen: shown(garbage.text), expected: 'JSON-RPC messages only; logs belong on stderr' }
        : undefined;
    },
  },
  {
    id: 'stdio-exit-at-once',
    title: `The server exits within ${EXIT_MS / 1000} s if stdin closes before the first message`,
    severity: 'warning',
    spec: SHUTDOWN,
    needs,
    run: async (subject) => {
      const { session, wire } = await subject.bareProcess();
      wire.endInput();
      // The process has yet to start.
      const exit = await within(wire.exit, EXIT_MS + session.patience);
      return exit === undefined ? { seen: 'it still ran', expected: 'the process exits' } : undefined;
    },
  },
  {
    id: 'stdio-terminate',
    title: `The server exits within ${EXIT_MS / 1000} s after SIGTERM`,
    severity: 'warning',
    spec: SHUTDOWN,
    needs,
    run: async (subject) => {
      const { wire } = await subject.process();
      wire.kill('SIGTERM');
      const exit = await within(wire.exit, EXIT_MS);
      return exit === undefined
        ? { seen: `it still ran after ${EXIT_MS} ms`, expected: 'the process exits' }
        : undefined;
    },
  },
  {
    id: 'stdio-stdout-closed',
    title: `The server exits within ${EXIT_MS / 1000} s if its stdout and stdin are closed`,
    severity: 'warning',
    spec: SHUTDOWN,
    needs,
    run: async (subject) => {
      const { wire } = await subject.process();
      wire.closeOutput();
      wire.write(`${ping('unheard')}\n`);
      wire.endInput();
      const exit = await within(wire.exit, EXIT_MS);
      return exit === undefined
        ? { seen: `it still ran after ${EXIT_MS} ms`, expected: 'the process exits' }
        : undefined;
    },
  },
];
