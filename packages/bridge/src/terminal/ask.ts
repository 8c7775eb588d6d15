import { createInterface } from 'node:readline';
import type { TerminalOptions } from './terminal.ts';

/**
 * Asks the user for one line. Undefined if the user ends the input with Ctrl-D, the terminal goes away or the signal
 * aborts. Ctrl-C is a signal as always. The question must be free of what a terminal obeys.
 */
export function askLine(
  question: string,
  { input, output }: Pick<TerminalOptions, 'input' | 'output'>,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (signal?.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const lines = createInterface({ input, output });
    let answer: string | undefined;
    const stop = () => lines.close();
    signal?.addEventListener('abort', stop, { once: true });
    lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    lines.once('close', () => {
      signal?.removeEventListener('abort', stop);
      if (answer === undefined) output.write('\n');
      resolve(answer);
    });
    lines.question(question, (line) => {
      answer = line;
      lines.close();
    });
  });
}
