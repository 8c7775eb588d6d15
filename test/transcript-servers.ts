import { defineNotification, RpcError, Server, type ServerSession } from '@hawser/mcp';
import { expect } from 'vitest';
import { Mailbox } from './mailbox.ts';
import type { Cues } from './transcript-player.ts';

/** A server for one session of a transcript, and how its cues are brought about. */
export interface ServerSetup {
  readonly server: Server;
  readonly cues?: Cues;
}

const neovim = { name: 'Claude Code Neovim MCP', version: '0.1.0' };

/** By the name of the transcript. */
export const servers: { readonly [transcript: string]: () => ServerSetup } = {
  'mcp-core': () => {
    const server = new Server(neovim, { capabilities: { tools: {} } });
    const heard = new Mailbox<unknown>();
    const aborted = new Mailbox<string>();
    server.onRequest('method_name', () => ({}));
    server.onRequest('refusing_method', () => {
      throw new RpcError(-32601, 'Method not found');
    });
    server.onNotification('method_name', (params) => heard.put(params));
    const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
    server.tool<{ text: string }>({ name: 'say', description: 'Repeats a text', inputSchema }, ({ text }) => text);
    server.tool({ name: 'wait', description: 'Never ends by itself' }, (_args, { signal }) => {
      signal.addEventListener('abort', () => aborted.put(signal.reason.message));
      return new Promise(() => {});
    });
    return {
      server,
      cues: {
        'the server hears method_name': async () => expect(await heard.take()).toEqual({}),
        'the tool is aborted because "the user pressed escape"': async () =>
          expect(await aborted.take()).toBe('Cancelled by the peer: the user pressed escape'),
      },
    };
  },

  'initialize-handler': () => {
    const states = new Mailbox<{ session: ServerSession; state: string }>();
    const onState = (session: ServerSession, state: string) => states.put({ session, state });
    const server = new Server(neovim, { capabilities: { tools: {} }, onState });
    const enters = async (expected: string) => {
      const { session, state } = await states.take();
      expect(state).toBe(expected);
      return session;
    };
    return {
      server,
      cues: {
        'the session is waiting': async () => expect((await enters('waiting')).clientInfo).toBeUndefined(),
        'the session is initializing and knows its client': async () =>
          expect((await enters('initializing')).clientInfo).toEqual({ name: 'claude-code', version: '1.0.0' }),
        'the session is ready': async () => expect((await enters('ready')).state).toBe('ready'),
      },
    };
  },

  'strict-handshake': () => ({
    server: new Server(
      { name: 'MCP-Server', version: '0.9.0' },
      {
        negotiation: 'strict',
        capabilities: { tools: {}, resources: { subscribe: true, listChanged: true }, prompts: {}, logging: {} },
      },
    ),
  }),

  'version-negotiation': () => ({ server: new Server({ name: 'MCP-Server', version: '0.9.0' }) }),

  'lisp-server': () => {
    const { ready, onState } = whenReady();
    const server = new Server({ name: 'lisp', version: '0.1.0' }, { capabilities: { tools: {} }, onState });
    const inputSchema = { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] };
    server.tool<{ code: string }>(
      { name: 'evaluate-lisp', description: 'Evaluates Common Lisp', inputSchema },
      ({ code }) => (code === '(+ 1 2)' ? '3' : 'NIL'),
    );
    server.onRequest('method-name', (params) => params);
    server.onRequest('refuse', (params) => {
      throw new RpcError(-32600, 'Invalid Request', (params as { data?: unknown }).data);
    });
    server.onRequest('fail', () => {
      throw new Error('out of cheese');
    });
    const addTool = async () => {
      await ready;
      server.tool({ name: 'another' }, () => 'ok');
    };
    return { server, cues: { 'a tool is added': addTool } };
  },

  'ide-plugin': () => {
    const { ready, onState } = whenReady();
    const server = new Server({ name: 'My MCP Server', version: '1.0.0' }, { capabilities: { logging: {} }, onState });
    const decisions = new Mailbox<'accept' | 'reject'>();
    server.tool(
      {
        name: 'read_file',
        description: 'Read contents of a file',
        inputSchema: {
          type: 'object',
          properties: { path: { type: 'string', description: 'File path' } },
          required: ['path'],
        },
      },
      () => 'File contents here',
    );
    server.tool<{ new_file_contents: string }>(
      {
        name: 'openDiff',
        description: 'Opens a diff viewer in the IDE',
        inputSchema: {
          type: 'object',
          properties: {
            old_file_path: { type: 'string' },
            new_file_contents: { type: 'string' },
            tab_name: { type: 'string' },
          },
          required: ['old_file_path', 'new_file_contents'],
        },
      },
      async ({ new_file_contents }) => texts(await decisions.take(), new_file_contents),
    );
    server.prompt({ name: 'review' }, () => ({ messages: [] }));
    server.resource({ uri: 'file:///foo/bar.txt', name: 'bar.txt' }, () => 'File contents here');
    server.onRequest('refuse', () => {
      throw new RpcError(-32600, 'Invalid Request', { details: '...' });
    });

    const initialized = defineNotification<object>('notifications/initialized');
    const connected = defineNotification<{ project_path: string }>('notifications/ide_connected');
    const selected = defineNotification<{ file_path: string; range: Range }>('notifications/selection_changed');
    return {
      server,
      cues: {
        'the user accepts the diff': () => decisions.put('accept'),
        'the user rejects the diff': () => decisions.put('reject'),
        'the server says that it is initialized': async () => (await ready).notify(initialized, {}),
        'the server says which project is open': async () =>
          (await ready).notify(connected, { project_path: '/path/to/project' }),
        'the selection changes': async () =>
          (await ready).notify(selected, { file_path: 'src/main.ts', range: range([10, 5], [15, 20]) }),
        'the selection changes within a line': async () =>
          (await ready).notify(selected, { file_path: '/foo/bar.txt', range: range([10, 5], [10, 20]) }),
        'the server says that its tools have changed': async () =>
          (await ready).notify('notifications/tools/list_changed' as string, {}),
        'a tool is added': () => server.tool({ name: 'another' }, () => 'ok'),
      },
    };
  },

  'ide-plugin-results': () => {
    const server = new Server({ name: 'My MCP Server', version: '1.0.0' });
    const message = "Cannot find name 'foo'";
    const diagnostics = [{ file_path: 'src/main.ts', line: 10, column: 5, severity: 'ERROR', message }];
    server.tool({ name: 'get_diagnostics' }, () => JSON.stringify({ diagnostics }));
    server.tool({ name: 'succeed' }, () => ({ content: [{ type: 'text', text: 'result data here' }], isError: false }));
    server.tool({ name: 'fail' }, () => {
      throw new Error('Error message');
    });
    return { server };
  },

  'claude-code': () => {
    const { ready, onState } = whenReady();
    const server = new Server(neovim, { capabilities: { tools: {} }, onState });
    const decisions = new Mailbox<'accept' | 'reject'>();
    const connected = new Mailbox<{ pid: number }>();
    const text = { type: 'string' };
    server.tool<{ new_file_contents: string }>(
      {
        name: 'openDiff',
        description: 'Shows a diff and waits for a decision',
        inputSchema: {
          type: 'object',
          properties: { old_file_path: text, new_file_path: text, new_file_contents: text, tab_name: text },
          required: ['old_file_path', 'new_file_path', 'new_file_contents', 'tab_name'],
        },
      },
      async ({ new_file_contents }) => texts(await decisions.take(), new_file_contents),
    );
    const schema = { type: 'object', properties: { pid: { type: 'integer' } }, required: ['pid'] };
    const ideConnected = defineNotification<{ pid: number }>('ide_connected', schema);
    server.onNotification(ideConnected, (params) => connected.put(params));

    const selected = defineNotification<{ text: string; filePath: string; fileUrl: string; selection: Selection }>(
      'selection_changed',
    );
    const mentioned = defineNotification<{ filePath: string; lineStart?: number; lineEnd?: number }>('at_mentioned');
    const diagnosed = defineNotification<{ uris: string[] }>('diagnostics_changed');
    const logged = defineNotification<{ eventName: string; eventData: object }>('log_event');
    const filePath = '/p/main.ts';
    const fileUrl = 'file:///p/main.ts';
    const selection = { ...range([10, 5], [10, 8]), isEmpty: false };
    return {
      server,
      cues: {
        'the server hears ide_connected from process 15614': async () =>
          expect(await connected.take()).toEqual({ pid: 15614 }),
        'the user accepts the diff': () => decisions.put('accept'),
        'the selection changes': async () =>
          (await ready).notify(selected, { text: 'foo', filePath, fileUrl, selection }),
        'lines 2 to 3 are mentioned': async () =>
          (await ready).notify(mentioned, { filePath, lineStart: 1, lineEnd: 2 }),
        'a whole file is mentioned': async () => (await ready).notify(mentioned, { filePath }),
        'the diagnostics change': () => server.notifyAll(diagnosed, { uris: [fileUrl] }),
        'an event is logged': () => server.notifyAll(logged, { eventName: 'diff_opened', eventData: { count: 1 } }),
      },
    };
  },
};

interface Range {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

type Selection = Range & { isEmpty: boolean };

function range([line, character]: [number, number], [endLine, endCharacter]: [number, number]): Range {
  return { start: { line, character }, end: { line: endLine, character: endCharacter } };
}

function texts(decision: 'accept' | 'reject', contents: string) {
  const words = decision === 'accept' ? ['FILE_SAVED', contents] : ['DIFF_REJECTED'];
  return { content: words.map((text) => ({ type: 'text' as const, text })) };
}

/** A promise of the session, once it is ready. */
function whenReady(): { ready: Promise<ServerSession>; onState: (session: ServerSession, state: string) => void } {
  let resolve: (session: ServerSession) => void = () => {};
  const ready = new Promise<ServerSession>((settle) => {
    resolve = settle;
  });
  return { ready, onState: (session, state) => state === 'ready' && resolve(session) };
}
