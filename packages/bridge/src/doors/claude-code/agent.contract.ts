import { once } from 'node:events';
import { WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
type Json = any;

/** Speaks as Claude Code does: integers from 0 as ids, `mcp` as subprotocol, the token in a header. */
export interface Agent {
  readonly protocol: string;
  initialize(): Promise<Json>;
  request(method: string, params?: object): Promise<Json>;
  notify(method: string, params?: object): void;
  /** The texts of a tool's result. */
  call(name: string, args?: object): Promise<string[]>;
  callRaw(name: string, args?: object): Promise<{ isError: boolean; texts: string[] }>;
  /** The next notification of that name that fits. */
  notification(method: string, fits?: (params: Json) => boolean): Promise<Json>;
  close(): void;
}

export async function connectAgent(url: string, token: string): Promise<Agent> {
  const socket = new WebSocket(url, ['mcp'], { headers: { 'X-Claude-Code-Ide-Authorization': token } });
  const pending = new Map<number, (answer: Json) => void>();
  const listeners = new Set<(message: Json) => void>();
  let lastId = -1;
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (message.method === undefined) pending.get(message.id)?.(message);
    else for (const listener of [...listeners]) listener(message);
  });
  await once(socket, 'open');

  const request = async (method: string, params?: object) => {
    lastId += 1;
    const id = lastId;
    const answer = new Promise<Json>((resolve) => pending.set(id, resolve));
    socket.send(JSON.stringify({ method, ...(params && { params }), jsonrpc: '2.0', id }));
    const { result, error } = await answer;
    if (error) throw new Error(`${error.code} ${error.message}`);
    return result;
  };
  const notify = (method: string, params?: object) =>
    socket.send(JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }) }));
  const callRaw = async (name: string, args: object = {}) => {
    const { content, isError = false } = await request('tools/call', { name, arguments: args });
    return { isError, texts: content.map(({ text }: { text: string }) => text) as string[] };
  };
  return {
    protocol: socket.protocol,
    request,
    notify,
    callRaw,
    initialize: async () => {
      const result = await request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {
          roots: { listChanged: true },
          elicitation: {},
          extensions: { 'io.modelcontextprotocol/tasks': {} },
        },
        clientInfo: { name: 'claude-code', title: 'Claude Code', version: '2.1.325' },
      });
      notify('notifications/initialized');
      return result;
    },
    call: async (name, args) => (await callRaw(name, args)).texts,
    notification: (method, fits = () => true) =>
      new Promise((resolve) => {
        const listener = (message: Json) => {
          if (message.method !== method || !fits(message.params)) return;
          listeners.delete(listener);
          resolve(message.params);
        };
        listeners.add(listener);
      }),
    close: () => socket.terminate(),
  };
}
