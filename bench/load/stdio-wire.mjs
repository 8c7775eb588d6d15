import { readLines } from '../wire/lines.mjs';
import { endedEarly, startProgram, stop } from './processes.mjs';

/**
 * A server's stdin and stdout as a wire: `send` for whole texts, `prepare` for texts that differ only in their id, `onText` for
 * each arrival, `onPause` when all that has arrived was handed out, `onEnd` with an error when the server ends first.
 */
export function openStdioWire(program, env) {
  const child = startProgram(program, 'stdio', { env });
  /** @type {{ onText: (text: string) => void, onPause: () => void, onEnd: (error: Error) => void, [name: string]: any }} */
  const wire = {
    child,
    onText: () => {},
    onPause: () => {},
    onEnd: () => {},
    send: (text) => child.stdin.write(`${text}\n`),
    sendEncoded: (lines) => child.stdin.write(lines),
    prepare: (beforeId, afterId) => (firstId, count) => {
      let lines = '';
      for (let id = firstId; id < firstId + count; id++) lines += `${beforeId}${id}${afterId}\n`;
      child.stdin.write(lines, 'latin1');
    },
    close: () => stop(child),
  };
  readLines(
    child.stdout,
    (line) => wire.onText(line),
    () => wire.onPause(),
  );
  child.once('exit', () => wire.onEnd(endedEarly(program, child)));
  return wire;
}
