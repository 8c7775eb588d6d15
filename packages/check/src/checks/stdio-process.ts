import type { Check } from '../check.ts';
import { shown } from '../in-words.ts';
import { initializeParams, NEWEST } from '../params.ts';
import { answersIn, expectResult } from './expectations.ts';
import {
  answersBeforeExit,
  EXIT_MS,
  exitsAfter,
  expectExit,
  pingText as ping,
  readsLine,
  SHUTDOWN,
  STDIO,
  stdioNeeds,
  survivesBytes,
  within,
} from './stdio-builders.ts';

export const stdioProcessChecks: readonly Check[] = [
  {
    id: 'stdio-bom',
    title: 'A byte order mark at the start of stdin is skipped',
    severity: 'info',
    spec: STDIO,
    needs: stdioNeeds,
    run: async (subject) => {
      const session = await subject.bare();
      const params = initializeParams(NEWEST);
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
  answersBeforeExit(
    {
      id: 'stdio-last-line',
      title: 'The last line is read without a line end',
      severity: 'info',
      spec: STDIO,
    },
    ping('stdio-last-line'),
  ),
  {
    id: 'stdio-many-lines',
    title: '500 messages that arrive at once are all answered',
    severity: 'error',
    spec: STDIO,
    needs: stdioNeeds,
    run: async (subject) => {
      const { session, wire } = await subject.sharedProcess();
      const ids = Array.from({ length: 500 }, (_, index) => `line-${index}`);
      wire.write(ids.map((id) => `${ping(id)}\n`).join(''));
      const answered = new Set(answersIn(await session.settle()).map(({ id }) => id));
      const missing = ids.filter((id) => !answered.has(id)).length;
      return missing === 0 ? undefined : { seen: `${missing} of 500 without an answer`, expected: 'an answer to each' };
    },
  },
  survivesBytes(
    { id: 'stdio-nul', title: 'The connection survives a line with a NUL byte', severity: 'warning' },
    '\0\n',
  ),
  {
    id: 'stdio-stdout-errors',
    title: 'Nothing but messages is written to stdout after bad input',
    severity: 'error',
    spec: STDIO,
    needs: stdioNeeds,
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
    needs: stdioNeeds,
    run: async (subject) => {
      const { session, wire } = await subject.bareProcess();
      wire.endInput();
      // The process has yet to start.
      return expectExit(await within(wire.exit, EXIT_MS + session.patience));
    },
  },
  exitsAfter(
    {
      id: 'stdio-terminate',
      title: `The server exits within ${EXIT_MS / 1000} s after SIGTERM`,
      severity: 'warning',
    },
    (wire) => wire.kill('SIGTERM'),
  ),
  exitsAfter(
    {
      id: 'stdio-stdout-closed',
      title: `The server exits within ${EXIT_MS / 1000} s if its stdout and stdin are closed`,
      severity: 'warning',
    },
    (wire) => {
      wire.closeOutput();
      wire.write(`${ping('unheard')}\n`);
      wire.endInput();
    },
  ),
];
