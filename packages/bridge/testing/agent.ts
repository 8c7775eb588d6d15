import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Json } from '../../mcp/testing/json.ts';

/** Speaks as agents do: the token in a header, integers as ids. */
export interface Agent {
  readonly protocol: string;
  /** Every notification, in order. */
  readonly received: readonly { readonly method: string; readonly params?: Json }[];
  /** How many answers each id has got. */
  readonly answers: ReadonlyMap<number, number>;
  initialize(): Promise<Json>;
  /** Rejects with the code and message of an error, and when the connection ends. */
  request(method: string, params?: object): Promise<Json>;
  /** The same, with the id that it was sent under. */
  begin(method: string, params?: object): { readonly id: number; readonly answer: Promise<Json> };
  notify(method: string, params?: object): void;
  /** The texts of a tool's result. */
  call(name: string, args?: object): Promise<string[]>;
  callRaw(name: string, args?: object): Promise<{ isError: boolean; texts: string[] }>;
  /** A tool's text, which is JSON. */
  callJson(name: string, args?: object): Promise<Json>;
  /** The next notification of that name that fits. */
  notification(method: string, fits?: (params: Json) => boolean): Promise<Json>;
  /** Resolves once everything that was sent before has been answered or taken note of. */
  settled(): Promise<void>;
  /** Drops the connection without a word. */
  close(): void;
  /** The code and reason it ended with. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

export type Dialect = keyof typeof DIALECTS;

/** How each kind begins, and the first id it uses. */
const DIALECTS = {
  'claude-code': {
    firstId: 0,
    hello: {
      protocolVersion: '2025-11-25',
      capabilities: {
        roots: { listChanged: true },
        elicitation: {},
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
      clientInfo: { name: 'claude-code', title: 'Claude Code', version: '2.1.325' },
    },
  },
  opencode: {
    firstId: 1,
    hello: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'opencode', version: '0.0.0' },
    },
  },
  jetbrains: {
    firstId: 1,
    hello: {
      protocolVersion: '2024-11-05',
      capabilities: { roots: { listChanged: true }, sampling: {} },
      clientInfo: { name: 'Claude Code JetBrains Plugin', version: '0.1.11-beta' },
    },
  },
  mcp: {
    firstId: 0,
    hello: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'an-agent', version: '1.0.0' },
    },
  },
  'copilot-cli': {
    firstId: 0,
    hello: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'copilot-cli', version: '1.0.102' },
    },
  },
  'gemini-cli': {
    firstId: 0,
    hello: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'streamable-http-client', version: '0.61.0' },
    },
  },
  'qwen-code': {
    firstId: 0,
    hello: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'streamable-http-client', version: '1.0.0' },
    },
  },
} as const;

/** How the messages of an agent travel. */
export interface AgentWire {
  readonly protocol: string;
  send(message: Json): void;
  /** Set once, before anything is sent. */
  onMessage: (message: Json) => void;
  /** Resolves once the bridge can send, too. */
  ready(): Promise<void>;
  /** Drops the connection without a word. */
  drop(): void;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

const AUTHORIZATION = 'X-Claude-Code-Ide-Authorization';

/** Over a WebSocket. opencode offers no subprotocol. */
export async function connectAgent(url: string, token: string, dialect: Dialect = 'claude-code'): Promise<Agent> {
  const socket = new WebSocket(url, dialect === 'opencode' ? [] : ['mcp'], { headers: { [AUTHORIZATION]: token } });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  const wire: AgentWire = {
    get protocol() {
      return socket.protocol;
    },
    send: (message) => socket.send(JSON.stringify(message)),
    onMessage: () => {},
    ready: async () => {},
    drop: () => socket.terminate(),
    closed,
  };
  socket.on('message', (data) => wire.onMessage(JSON.parse(String(data))));
  const agent = agentOn(wire, dialect);
  await once(socket, 'open');
  return agent;
}

export function agentOn(wire: AgentWire, dialect: Dialect): Agent {
  const { firstId, hello } = DIALECTS[dialect];
  const pending = new Map<number, { resolve: (answer: Json) => void; reject: (reason: Error) => void }>();
  const listeners = new Set<(message: Json) => void>();
  const received: { method: string; params?: Json }[] = [];
  const answers = new Map<number, number>();
  let isClosed = false;
  const closed = wire.closed.then((ending) => {
    isClosed = true;
    for (const { reject } of pending.values()) reject(new Error(`closed with ${ending.code}`));
    return ending;
  });
  let lastId = firstId - 1;
  wire.onMessage = (message) => {
    if (message.method === undefined) {
      answers.set(message.id, (answers.get(message.id) ?? 0) + 1);
      pending.get(message.id)?.resolve(message);
      pending.delete(message.id);
      return;
    }
    received.push(message);
    for (const listener of [...listeners]) listener(message);
  };

  const begin = (method: string, params?: object) => {
    lastId += 1;
    const id = lastId;
    const message = new Promise<Json>((resolve, reject) => {
      if (isClosed) reject(new Error('not connected'));
      else pending.set(id, { resolve, reject });
    });
    wire.send({ method, ...(params && { params }), jsonrpc: '2.0', id });
    const answer = message.then(({ result, error }) => {
      if (error) throw new Error(`${error.code} ${error.message}`);
      return result;
    });
    return { id, answer: unwatched(answer) };
  };
  const request = (method: string, params?: object) => begin(method, params).answer;
  const notify = (method: string, params?: object) => wire.send({ jsonrpc: '2.0', method, ...(params && { params }) });
  const callRaw = (name: string, args: object = {}) =>
    unwatched(
      request('tools/call', { name, arguments: args }).then(({ content, isError = false }) => {
        return { isError, texts: content.map(({ text }: { text: string }) => text) as string[] };
      }),
    );
  const call = (name: string, args?: object) => unwatched(callRaw(name, args).then(({ texts }) => texts));
  return {
    get protocol() {
      return wire.protocol;
    },
    received,
    answers,
    closed,
    begin,
    request,
    notify,
    call,
    callRaw,
    callJson: async (name, args) => JSON.parse((await call(name, args)).join('')),
    initialize: async () => {
      const result = await request('initialize', hello);
      notify('notifications/initialized');
      await wire.ready();
      return result;
    },
    notification: (method, fits = () => true) =>
      new Promise((resolve) => {
        const listener = (message: Json) => {
          if (message.method !== method || !fits(message.params)) return;
          listeners.delete(listener);
          resolve(message.params);
        };
        listeners.add(listener);
      }),
    settled: async () => void (await request('ping')),
    close: () => wire.drop(),
  };
}

/** A promise that a test need not await: its rejection is handled, and callers that await it still see it. */
function unwatched<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
