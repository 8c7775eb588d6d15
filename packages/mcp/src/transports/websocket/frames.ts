const FINAL_TEXT = 0x81;
const LENGTH_IN_2_BYTES = 126;
const LENGTH_IN_8_BYTES = 127;

/** Texts as the frames a server sends (RFC 6455, unmasked), one after the other in one buffer. */
export function textFrames(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  let size = 0;
  for (const length of lengths) size += headerSize(length) + length;
  const frames = Buffer.allocUnsafe(size);
  let at = 0;
  for (const [index, text] of texts.entries()) {
    const length = lengths[index] as number;
    at = writeHeader(frames, at, length);
    // As many bytes as characters: all ASCII, for which the plainer encoding is the faster one.
    at += frames.write(text, at, length, length === text.length ? 'latin1' : 'utf8');
  }
  return frames;
}

function headerSize(length: number): number {
  if (length < LENGTH_IN_2_BYTES) return 2;
  return length <= 0xffff ? 4 : 10;
}

function writeHeader(frames: Buffer, at: number, length: number): number {
  frames[at] = FINAL_TEXT;
  if (length < LENGTH_IN_2_BYTES) {
    frames[at + 1] = length;
    return at + 2;
  }
  if (length <= 0xffff) {
    frames[at + 1] = LENGTH_IN_2_BYTES;
    return frames.writeUInt16BE(length, at + 2);
  }
  frames[at + 1] = LENGTH_IN_8_BYTES;
  frames.writeUInt32BE(Math.floor(length / 2 ** 32), at + 2);
  return frames.writeUInt32BE(length >>> 0, at + 6);
}
