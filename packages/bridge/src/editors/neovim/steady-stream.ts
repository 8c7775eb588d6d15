import { PassThrough } from 'node:stream';

/** The same bytes; a stream that breaks simply ends here. The client of Neovim cannot be told of an error. */
export function steady(reader: NodeJS.ReadableStream): NodeJS.ReadableStream {
  const calm = new PassThrough();
  reader.on('data', (bytes: Buffer) => {
    if (!calm.write(bytes)) reader.pause();
  });
  calm.on('drain', () => reader.resume());
  for (const event of ['end', 'close', 'error']) reader.on(event, () => calm.end());
  return calm;
}
