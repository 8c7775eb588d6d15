import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, json, type RequestBody, type Turn } from './turn.ts';
import { anthropicMessages } from './wires/anthropic-messages.ts';
import { chatCompletions } from './wires/chat-completions.ts';
import { generateContent } from './wires/generate-content.ts';
import { responses } from './wires/responses.ts';

const wires = [anthropicMessages, chatCompletions, generateContent, responses];
/** More than any agent says to a model here. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** A model on this machine that plays turns in order, behind each interface by which agents reach theirs. */
export class ScriptedModel {
  /** The body of each request that got a turn. */
  readonly received: string[] = [];
  /** Hosts outside of this machine that an agent wanted to reach, with this server as its proxy. All are refused. */
  readonly refusedHosts = new Set<string>();
  readonly #server: Server;
  readonly #waiting = new Set<() => void>();
  #turns: Turn[] = [];
  #answers = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<ScriptedModel> {
    const server = createServer();
    const model = new ScriptedModel(server);
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      let size = 0;
      request.on('data', (part: Buffer) => {
        size += part.length;
        if (size > MAX_BODY_BYTES) request.destroy();
        else parts.push(part);
      });
      request.on('end', () => {
        const [path = ''] = (request.url ?? '').split('?');
        const { contentType, body } = model.#answer(path, Buffer.concat(parts).toString('utf8'));
        response.writeHead(200, { 'Content-Type': contentType }).end(body);
      });
    });
    server.on('connect', (request, socket) => {
      // Some agents reset the connection when they are refused.
      socket.on('error', () => {});
      model.refusedHosts.add(request.url ?? '');
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The turns that are played from now on. */
  script(turns: readonly Turn[]): void {
    this.#turns = [...turns];
  }

  /** Resolves once this many requests got a turn. */
  async asked(count: number): Promise<void> {
    while (this.received.length < count) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(path: string, text: string): Answer {
    const wire = wires.find(({ accepts }) => accepts(path));
    if (wire === undefined) return json({ object: 'list', data: [] });
    const body: RequestBody = JSON.parse(text);
    this.#answers += 1;
    const request = { path, id: String(this.#answers) };
    if (!wire.offersTools(body)) return wire.answer({ say: 'Nothing.' }, body, request);
    this.received.push(text);
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
    return wire.answer(this.#turns.shift() ?? { say: 'Nothing more.' }, body, request);
  }
}
