import { PassThrough } from 'node:stream';

/** The same bytes; a stream that breaks ends here, because the client of Neovim takes no errors. */
export function endOnError(reader: NodeJS.ReadableStream): NodeJS.ReadableStream {
  const calm = new PassThrough();
  reader.on('data', (bytes: Buffer) => {
    if (!calm.write(bytes)) reader.pause();
  });
  calm.on('drain', () => reader.resume());
  for (const event of ['end', 'close', 'error']) reader.on(event, () => calm.end());
  return calm;
}
