import type { Check, Finding } from '../check.ts';
import type { StdioWire } from '../wires/stdio.ts';
import type { Row } from './builders.ts';
import { expectAlive, expectResult } from './expectations.ts';

export const STDIO = '2025-11-25 Transports §stdio';
export const SHUTDOWN = '2025-11-25 Lifecycle §Shutdown';
export const stdioNeeds = ['stdio', 'sessions'] as const;
/** Milliseconds that a server has to exit in. */
export const EXIT_MS = 3000;

/** A row whose builder knows the section. */
type Untold<Extra> = Omit<Row<Extra>, 'spec'>;

export const pingText = (id: string) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });

export async function within<T>(event: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds, undefined);
  });
  try {
    return await Promise.race([event, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A ping that has the id of the check, in an unusual line: it must be answered as any other. */
export function readsLine({ line, ...facts }: Untold<{ line: string }>): Check {
  return {
    ...facts,
    spec: STDIO,
    run: async (subject) => {
      const { session, wire } = await subject.sharedProcess();
      wire.write(line);
      return expectResult(await session.answerTo(facts.id));
    },
  };
}

/** Bytes after which the connection must live on. */
export function survivesBytes({ bytes, ...facts }: Untold<{ bytes: string | Buffer }>): Check {
  return {
    ...facts,
    spec: STDIO,
    run: async (subject) => {
      const { session, wire } = await subject.sharedProcess();
      wire.write(bytes);
      return expectAlive(await session.settle());
    },
  };
}

/** A last message, after which stdin closes: it must be answered before the exit. */
export function answersBeforeExit({ last, ...facts }: Row<{ last: string }>): Check {
  return {
    ...facts,
    run: async (subject) => {
      const { session, wire } = await subject.process();
      wire.write(last);
      wire.endInput();
      return expectResult(await session.answerTo(facts.id), () => true, 'a result, then the exit');
    },
  };
}

/** Something after which the process must exit. */
export function exitsAfter({ end, ...facts }: Untold<{ end: (wire: StdioWire) => void }>): Check {
  return {
    ...facts,
    spec: SHUTDOWN,
    run: async (subject) => {
      const { wire } = await subject.process();
      end(wire);
      return expectExit(await within(wire.exit, EXIT_MS));
    },
  };
}

export function expectExit(exit: object | undefined): Finding | undefined {
  return exit === undefined ? { seen: 'it still ran', expected: 'the process exits' } : undefined;
}
