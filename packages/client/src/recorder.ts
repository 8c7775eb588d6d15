import { appendFileSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

/** A longer line is left out of the transcript, though not out of the conversation. */
const MAX_LINE_CHARS = 16 * 1024 * 1024;

/** Writes what two programs say to each other on stdio to a transcript, line by line as it is said. */
export class Recorder {
  readonly #path: string;
  readonly #client = new Lines((line, dropped) => this.#write('→', line, dropped));
  readonly #server = new Lines((line, dropped) => this.#write('←', line, dropped));

  /** Adds a session to the file. Only this user can read a file that it makes. Throws if it can't be written. */
  constructor(path: string, title: string) {
    this.#path = path;
    this.#append(`\n== ${title.replace(/\s+/g, ' ')}\n`);
  }

  /** What the client wrote to the server. */
  fromClient(chunk: Buffer): void {
    this.#client.push(chunk);
  }

  fromServer(chunk: Buffer): void {
    this.#server.push(chunk);
  }

  /** The server ended the conversation. */
  serverEnded(): void {
    this.#append('× closed\n');
  }

  #write(sign: '→' | '←', line: string, dropped: number): void {
    const text = line.trim();
    if (dropped > 0) this.#append(`# ${sign} a line of ${dropped + line.length} characters is left out\n`);
    else if (text === '') return;
    else if (sign === '←' && !isJson(text)) this.#append(`# the server wrote: ${text}\n`);
    else this.#append(`${sign} ${text}\n`);
  }

  #append(text: string): void {
    appendFileSync(this.#path, text, { mode: 0o600 });
  }
}

/** Splits bytes into lines. */
class Lines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #take: (line: string, dropped: number) => void;
  #unfinished = '';
  /** How many characters before these were dropped. */
  #dropped = 0;

  /** `take` gets the end of a line that is too long, and how many characters before it were dropped. */
  constructor(take: (line: string, dropped: number) => void) {
    this.#take = take;
  }

  push(chunk: Buffer): void {
    const lines = (this.#unfinished + this.#decoder.write(chunk)).split('\n');
    this.#unfinished = lines.pop() ?? '';
    for (const line of lines) {
      this.#take(line, this.#dropped);
      this.#dropped = 0;
    }
    if (this.#unfinished.length <= MAX_LINE_CHARS) return;
    this.#dropped += this.#unfinished.length;
    this.#unfinished = '';
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
