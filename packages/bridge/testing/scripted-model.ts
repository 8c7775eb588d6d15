import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the model does in one turn: it says something, or calls a tool. */
export type Turn = { readonly say: string } | { readonly use: string; readonly input: object };

/** A model that plays turns in order, behind the interface by which Claude Code reaches its own. */
export class ScriptedModel {
  /** The messages of each turn, as JSON. */
  readonly received: string[] = [];
  readonly #server: Server;
  readonly #turns: Turn[];

  private constructor(server: Server, turns: readonly Turn[]) {
    this.#server = server;
    this.#turns = [...turns];
  }

  static async open(turns: readonly Turn[]): Promise<ScriptedModel> {
    const server = createServer();
    const model = new ScriptedModel(server, turns);
    server.on('request', (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        if (!request.url?.includes('/v1/messages') || request.url.includes('count_tokens')) {
          response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"input_tokens":1}');
          return;
        }
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(model.#answer(JSON.parse(body)));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer({ model, tools = [], messages }: { model: string; tools?: object[]; messages: object[] }): string {
    // A request without tools is an errand of the agent's own, such as finding a title.
    const isErrand = tools.length === 0;
    if (!isErrand) this.received.push(JSON.stringify(messages));
    const turn = (isErrand ? undefined : this.#turns.shift()) ?? { say: 'Nothing more.' };
    const [block, delta, reason] =
      'say' in turn
        ? [{ type: 'text', text: '' }, { type: 'text_delta', text: turn.say }, 'end_turn']
        : [
            { type: 'tool_use', id: `toolu_${this.received.length}`, name: turn.use, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(turn.input) },
            'tool_use',
          ];
    const usage = { input_tokens: 1, output_tokens: 1 };
    const role = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], usage };
    return [
      { type: 'message_start', message: { ...role, stop_reason: null, stop_sequence: null } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join('');
  }
}
