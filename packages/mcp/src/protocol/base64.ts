// Not with Buffer: runtimes other than Node lack it.

const encoder = new TextEncoder();
/** Bytes that are converted at a time, as the arguments of one call. One by one, a megabyte takes a third of a second. */
const BYTES_AT_ONCE = 8192;

/** Base64 of bytes, or of a text in UTF-8. */
export function toBase64(data: string | Uint8Array): string {
  const bytes = typeof data === 'string' ? encoder.encode(data) : data;
  let binary = '';
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    binary += String.fromCharCode(...bytes.subarray(at, at + BYTES_AT_ONCE));
  }
  return btoa(binary);
}

/** The same with the alphabet for URLs, without padding. */
export function toBase64Url(data: string | Uint8Array): string {
  return toBase64(data).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The bytes; undefined if the text is not Base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return undefined;
  }
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
}
