// Not with Buffer: runtimes other than Node lack it.

const encoder = new TextEncoder();

/** Base64 of bytes, or of a text in UTF-8. */
export function toBase64(data: string | Uint8Array): string {
  const bytes = typeof data === 'string' ? encoder.encode(data) : data;
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** The same with the alphabet for URLs, without padding. */
export function toBase64Url(data: string | Uint8Array): string {
  return toBase64(data).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The bytes; undefined if the text is not Base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
}
