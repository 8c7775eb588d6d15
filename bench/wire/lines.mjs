/**
 * Calls `onLine` for every line of a stream of bytes, without its line feed, and `onChunkEnd` after the lines of each
 * chunk. The pieces of an unfinished line are kept apart until it ends: joining them chunk by chunk would be quadratic.
 */
export function readLines(stream, onLine, onChunkEnd = () => {}) {
  let pieces = [];
  stream.setEncoding('utf8');
  stream.on('data', (text) => {
    let start = 0;
    let end = text.indexOf('\n');
    if (end !== -1 && pieces.length > 0) {
      pieces.push(text.slice(0, end));
      const line = pieces.join('');
      pieces = [];
      onLine(line);
      start = end + 1;
      end = text.indexOf('\n', start);
    }
    while (end !== -1) {
      onLine(text.slice(start, end));
      start = end + 1;
      end = text.indexOf('\n', start);
    }
    if (start < text.length) pieces.push(start === 0 ? text : text.slice(start));
    onChunkEnd();
  });
}

const FLUSH_LENGTH = 64 * 1024;

/**
 * Returns `write(line)`, which gathers lines and hands them to the stream once per tick, or at once when much has
 * gathered. It returns false when the stream asks to wait for 'drain'.
 */
export function lineWriter(stream) {
  let pending = '';
  const flush = () => {
    if (pending === '') return true;
    const text = pending;
    pending = '';
    return stream.write(text);
  };
  return (line) => {
    if (pending === '') process.nextTick(flush);
    pending += `${line}\n`;
    return pending.length < FLUSH_LENGTH || flush();
  };
}
