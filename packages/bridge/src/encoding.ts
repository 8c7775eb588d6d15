import { isUtf8 } from 'node:buffer';

/** How a file's bytes mean its text. All but `latin1` and `utf8` begin with a byte order mark, which is not text. */
export type Encoding = 'utf8' | 'utf8-bom' | 'utf16le' | 'utf16be' | 'latin1';

/** Reads any bytes so that `encode` gives exactly them back. */
export function decode(bytes: Buffer): { readonly text: string; readonly encoding: Encoding } {
  // With an odd byte at the end UTF-16 would lose it.
  const isEven = bytes.length % 2 === 0;
  if (isEven && startsWith(bytes, marks.utf16le)) return { text: bytes.toString('utf16le', 2), encoding: 'utf16le' };
  if (isEven && startsWith(bytes, marks.utf16be)) {
    return { text: Buffer.from(bytes.subarray(2)).swap16().toString('utf16le'), encoding: 'utf16be' };
  }
  if (!isUtf8(bytes)) return { text: bytes.toString('latin1'), encoding: 'latin1' };
  if (startsWith(bytes, marks['utf8-bom'])) return { text: bytes.toString('utf8', 3), encoding: 'utf8-bom' };
  return { text: bytes.toString('utf8'), encoding: 'utf8' };
}

/** Throws when the encoding cannot hold the text: nothing is replaced by question marks. */
export function encode(text: string, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'utf8':
      return utf8(text);
    case 'utf8-bom':
      return Buffer.concat([marks['utf8-bom'], utf8(text)]);
    case 'utf16le':
      return Buffer.concat([marks.utf16le, Buffer.from(text, 'utf16le')]);
    case 'utf16be':
      return Buffer.concat([marks.utf16be, Buffer.from(text, 'utf16le').swap16()]);
    case 'latin1': {
      const [unknown] = /[^\0-\xff]/u.exec(text) ?? [];
      if (unknown !== undefined) throw new Error(`Latin-1, the encoding of this file, has no character ${unknown}`);
      return Buffer.from(text, 'latin1');
    }
  }
}

const marks = {
  'utf8-bom': Buffer.from([0xef, 0xbb, 0xbf]),
  utf16le: Buffer.from([0xff, 0xfe]),
  utf16be: Buffer.from([0xfe, 0xff]),
};

function startsWith(bytes: Buffer, mark: Buffer): boolean {
  return bytes.subarray(0, mark.length).equals(mark);
}

function utf8(text: string): Buffer {
  if (/\p{Surrogate}/u.test(text)) throw new Error('UTF-8 cannot hold one half of a surrogate pair');
  return Buffer.from(text, 'utf8');
}
