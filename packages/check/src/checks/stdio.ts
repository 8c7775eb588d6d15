import { inWords, shown } from '../in-words.ts';
import { initializeParams, NEWEST } from '../params.ts';
import type { Received } from '../wires/wire.ts';
import { needing } from './builders.ts';
import { answersIn, expectResult, expectThat } from './expectations.ts';
import {
  answersBeforeExit,
  EXIT_MS,
  exitsAfter,
  expectExit,
  pingText,
  readsLine,
  SHUTDOWN,
  STDIO,
  stdioNeeds,
  survivesBytes,
  within,
} from './stdio-builders.ts';

export const stdioChecks = needing(stdioNeeds, [
  {
    id: 'stdio-stdout',
    title: 'Nothing but messages is written to stdout, from the start to the exit',
    severity: 'error',
    spec: STDIO,
    run: async (subject) => {
      const session = await subject.bare();
      const items: Received[] = [];
      const { wire } = session;
      // Not asked through the session, which would pass over other lines.
      wire.send({
        jsonrpc: '2.0',
        id: 0,
        method: 'initialize',
        params: initializeParams(NEWEST),
      });
      const answered = (item: Received) => item.kind === 'message' && item.message.id === 0;
      for (let item = await wire.next(session.patience); item !== undefined; item = await wire.next(subject.patience)) {
        items.push(item);
        if (answered(item) || item.kind === 'end') break;
      }
      wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      items.push(...(await session.settle()).received);
      const garbage = items.find(
        (item) => item.kind === 'garbage' || (item.kind === 'message' && item.message.jsonrpc !== '2.0'),
      );
      return (
        garbage && {
          seen: shown(garbage.kind === 'garbage' ? garbage.text : garbage),
          expected: 'JSON-RPC messages only; logs belong on stderr',
        }
      );
    },
  },
  exitsAfter({
    id: 'stdio-exit',
    title: `The server exits within ${EXIT_MS / 1000} s after its stdin closed`,
    severity: 'warning',
    end: (wire) => wire.endInput(),
  }),
  {
    id: 'stdio-exit-code',
    title: 'The server exits with code 0 after its stdin closed',
    severity: 'info',
    spec: SHUTDOWN,
    run: async (subject) => {
      const { wire } = await subject.process();
      wire.endInput();
      const exit = await within(wire.exit, EXIT_MS);
      return exit === undefined || exit.code === 0 ? undefined : { seen: exit.how, expected: 'exit code 0' };
    },
  },
  answersBeforeExit({
    id: 'stdio-answers-before-exit',
    title: 'A request that arrived before stdin closed is answered',
    severity: 'warning',
    spec: SHUTDOWN,
    last: `${pingText('stdio-answers-before-exit')}\n`,
  }),
  {
    id: 'stdio-split',
    title: 'A message that arrives in pieces is read',
    severity: 'error',
    spec: STDIO,
    run: async (subject) => {
      const { session, wire } = await subject.sharedProcess();
      const bytes = Buffer.from(`${pingText('pieces-ä😀')}\n`);
      for (const byte of bytes) {
        wire.write(Buffer.from([byte]));
        await new Promise(setImmediate);
      }
      return expectResult(await session.answerTo('pieces-ä😀'));
    },
  },
  {
    id: 'stdio-joined',
    title: 'Two messages that arrive at once are both answered',
    severity: 'error',
    spec: STDIO,
    run: async (subject) => {
      const { session, wire } = await subject.sharedProcess();
      wire.write(`${pingText('one')}\n${pingText('two')}\n`);
      for (const id of ['one', 'two']) {
        const answer = await session.answerTo(id);
        if (answer.kind !== 'result') return { seen: `${id}: ${inWords(answer)}`, expected: 'a result for each' };
      }
      return undefined;
    },
  },
  readsLine({
    id: 'stdio-crlf',
    title: 'A line that ends with CR LF is read',
    severity: 'info',
    line: `${pingText('stdio-crlf')}\r\n`,
  }),
  survivesBytes({
    id: 'stdio-blank-line',
    title: 'The connection survives blank lines',
    severity: 'info',
    bytes: '\n  \n',
  }),
  survivesBytes({
    id: 'stdio-invalid-utf8',
    title: 'The connection survives a line that is not UTF-8',
    severity: 'warning',
    bytes: Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]),
  }),
  {
    id: 'stdio-bom',
    title: 'A byte order mark at the start of stdin is skipped',
    severity: 'info',
    spec: STDIO,
    run: async (subject) => {
      const session = await subject.bare();
      const params = initializeParams(NEWEST);
      session.wire.send(`\ufeff${JSON.stringify({ jsonrpc: '2.0', id: 'bom', method: 'initialize', params })}`);
      return expectResult(await session.answerTo('bom'));
    },
  },
  readsLine({
    id: 'stdio-whitespace',
    title: 'White space around a message is skipped',
    severity: 'info',
    line: `  \t${pingText('stdio-whitespace')}  \n`,
  }),
  readsLine({
    id: 'stdio-line-separators',
    title: 'Only a line feed ends a line, not other characters that break lines',
    severity: 'error',
    line: `{"jsonrpc":"2.0","id":"stdio-line-separators","method":"ping","params":{"_meta":{"x":"\u2028\u2029\u0085"}}}\n`,
  }),
  answersBeforeExit({
    id: 'stdio-last-line',
    title: 'The last line is read without a line end',
    severity: 'info',
    spec: STDIO,
    last: pingText('stdio-last-line'),
  }),
  {
    id: 'stdio-many-lines',
    title: '500 messages that arrive at once are all answered',
    severity: 'error',
    spec: STDIO,
    run: async (subject) => {
      const { session, wire } = await subject.sharedProcess();
      const ids = Array.from({ length: 500 }, (_, index) => `line-${index}`);
      wire.write(ids.map((id) => `${pingText(id)}\n`).join(''));
      const answered = new Set(answersIn(await session.settle()).map(({ id }) => id));
      const missing = ids.filter((id) => !answered.has(id)).length;
      return expectThat(missing === 0, `${missing} of 500 without an answer`, 'an answer to each');
    },
  },
  survivesBytes({
    id: 'stdio-nul',
    title: 'The connection survives a line with a NUL byte',
    severity: 'warning',
    bytes: '\0\n',
  }),
  {
    id: 'stdio-stdout-errors',
    title: 'Nothing but messages is written to stdout after bad input',
    severity: 'error',
    spec: STDIO,
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
    run: async (subject) => {
      const { session, wire } = await subject.bareProcess();
      wire.endInput();
      // The process has yet to start.
      return expectExit(await within(wire.exit, EXIT_MS + session.patience));
    },
  },
  exitsAfter({
    id: 'stdio-terminate',
    title: `The server exits within ${EXIT_MS / 1000} s after SIGTERM`,
    severity: 'warning',
    end: (wire) => wire.kill('SIGTERM'),
  }),
  exitsAfter({
    id: 'stdio-stdout-closed',
    title: `The server exits within ${EXIT_MS / 1000} s if its stdout and stdin are closed`,
    severity: 'warning',
    end: (wire) => {
      wire.closeOutput();
      wire.write(`${pingText('unheard')}\n`);
      wire.endInput();
    },
  }),
]);
