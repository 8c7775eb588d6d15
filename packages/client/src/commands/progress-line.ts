import type { Progress } from '@hawser/mcp';
import { clip } from '@hawser/terminal-text/wrapping';

const BAR = 20;

/** Draws the progress of a call on one line of stderr, for as long as the call runs. */
export class ProgressLine {
  readonly #write: (text: string) => void;
  readonly #columns: () => number;
  #isDrawn = false;

  constructor(write: (text: string) => void, columns: () => number) {
    this.#write = write;
    this.#columns = columns;
  }

  draw(progress: Progress): void {
    this.#isDrawn = true;
    this.#write(`\r\x1b[K${clip(progressInWords(progress), this.#columns() - 1)}`);
  }

  /** Takes the line away, so that other output can follow. */
  clear(): void {
    if (this.#isDrawn) this.#write('\r\x1b[K');
    this.#isDrawn = false;
  }
}

/** Only for a terminal. */
export function progressLineOnStderr(): ProgressLine {
  const { stderr } = process;
  return new ProgressLine(
    (text) => void stderr.write(text),
    () => stderr.columns || 80,
  );
}

/** `[#####---------------]  25 % reading files`. */
function progressInWords({ progress, total, message = '' }: Progress): string {
  const text = message === '' ? '' : ` ${message}`;
  if (total === undefined || !(total > 0)) return `${progress}${text}`;
  const part = Math.min(1, Math.max(0, progress / total));
  const filled = Math.round(part * BAR);
  const percent = String(Math.floor(part * 100)).padStart(3);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR - filled)}] ${percent} %${text}`;
}
