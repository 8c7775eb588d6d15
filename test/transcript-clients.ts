import { type CallToolResult, type Connection, defineNotification } from '@hawser/mcp';
import { Client, type ClientSession } from '@hawser/mcp/client';
import { expect } from 'vitest';
import { Mailbox } from './mailbox.ts';
import type { Cues } from './transcript-player.ts';

/** By the name of the transcript: how a client on this connection brings its cues about. */
export const clients: { readonly [transcript: string]: (connection: Connection) => Cues } = {
  'ide-plugin-client': (connection) => {
    const client = new Client(
      { name: 'Claude Code JetBrains Plugin', version: '0.1.11-beta' },
      { protocolVersion: '2024-11-05', capabilities: { roots: { listChanged: true }, sampling: {} } },
    );
    const heard = new Mailbox<{ method: string; params: unknown }>();
    const connected = defineNotification<{ project_path: string }>('notifications/ide_connected');
    const selected = defineNotification<{ file_path: string; range: object }>('notifications/selection_changed');
    client.onNotification('notifications/initialized', (params) => heard.put({ method: 'initialized', params }));
    client.onNotification(connected, ({ project_path }) =>
      heard.put({ method: 'ide_connected', params: project_path }),
    );
    client.onNotification(selected, (params) => heard.put({ method: 'selection_changed', params }));
    client.onNotification('notifications/tools/list_changed', (params) => heard.put({ method: 'tools', params }));

    const { session, connect } = connecting(client, connection);
    const { start, outcome } = pending();
    const call = (name: string, args = {}) => start(session().then((ready) => ready.callTool(name, args)));
    const isTexts = async (...expected: string[]) =>
      expect(await outcome()).toEqual({ content: expected.map((text) => ({ type: 'text', text })) });
    const hears = (method: string, params: unknown) => async () =>
      expect(await heard.take()).toEqual({ method, params });
    const contents = "console.log('Hello World');";
    return {
      'the client connects': connect,
      'the client knows the server and its four capabilities': async () => {
        const { serverInfo, serverCapabilities, protocolVersion, state } = await session();
        expect(serverInfo).toEqual({ name: 'My MCP Server', version: '1.0.0' });
        expect(Object.keys(serverCapabilities)).toEqual(['logging', 'prompts', 'resources', 'tools']);
        expect({ protocolVersion, state }).toEqual({ protocolVersion: '2024-11-05', state: 'ready' });
      },
      'the client lists the tools': () => start(session().then((ready) => ready.listTools())),
      'the client has the tools read_file and openDiff': async () =>
        expect(await outcome()).toMatchObject([{ name: 'read_file' }, { name: 'openDiff' }]),
      'the client calls read_file': () => call('read_file', { path: '/foo/bar.txt' }),
      'the result is the text "File contents here"': () => isTexts('File contents here'),
      'the client calls openDiff': () =>
        call('openDiff', { old_file_path: 'src/main.ts', new_file_contents: contents, tab_name: 'Fix main.ts' }),
      'the result is FILE_SAVED with the contents': () => isTexts('FILE_SAVED', contents),
      'the result is DIFF_REJECTED': () => isTexts('DIFF_REJECTED'),
      'the client pings': () => start(session().then((ready) => ready.ping())),
      'the ping is answered': async () => expect(await outcome()).toBeUndefined(),
      'the client hears notifications/initialized': hears('initialized', {}),
      'the client hears notifications/ide_connected': hears('ide_connected', '/path/to/project'),
      'the client hears notifications/selection_changed': hears('selection_changed', {
        file_path: 'src/main.ts',
        range: { start: { line: 10, character: 5 }, end: { line: 15, character: 20 } },
      }),
      'the client hears notifications/tools/list_changed': hears('tools', {}),
      'the client calls get_diagnostics': () => call('get_diagnostics'),
      'the result is one diagnostic in src/main.ts': async () => {
        const { content } = (await outcome()) as CallToolResult;
        const [block] = content;
        const message = "Cannot find name 'foo'";
        expect(content).toHaveLength(1);
        expect(JSON.parse(block?.type === 'text' ? block.text : '')).toEqual({
          diagnostics: [{ file_path: 'src/main.ts', line: 10, column: 5, severity: 'ERROR', message }],
        });
      },
      'the call fails with -32600 "Invalid Request" and its details': () =>
        expect(outcome()).rejects.toMatchObject({
          name: 'RpcError',
          code: -32600,
          message: 'Invalid Request',
          data: { details: '...' },
        }),
      'the client asks for method_name': () => start(session().then((ready) => ready.request('method_name', {}))),
      'the call fails with -32601 "Method not found"': () =>
        expect(outcome()).rejects.toMatchObject({
          name: 'RpcError',
          code: -32601,
          message: 'Method not found',
          data: undefined,
        }),
      'the result is an error that says "Error message"': async () =>
        expect(await outcome()).toEqual({ content: [{ type: 'text', text: 'Error message' }], isError: true }),
    };
  },

  'handshakes-client': (connection) => {
    const connects = (protocolVersion: string) => {
      const client = new Client({ name: 'claude-code', version: '1.0.0' }, { protocolVersion });
      begun = connecting(client, connection);
      begun.connect();
    };
    let begun: ReturnType<typeof connecting> | undefined;
    const session = () => begun?.session() ?? Promise.reject(new Error('The client has not begun to connect'));
    const { start, outcome } = pending();
    return {
      'the client connects with 2025-03-26': () => connects('2025-03-26'),
      'the client connects with 2024-11-05': () => connects('2024-11-05'),
      'the client connects with 2025-11-25': () => connects('2025-11-25'),
      'the client is connected to "Claude Code Neovim MCP" 0.1.0 with tools': async () => {
        const { serverInfo, serverCapabilities, protocolVersion } = await session();
        expect(serverInfo).toEqual({ name: 'Claude Code Neovim MCP', version: '0.1.0' });
        expect(serverCapabilities).toEqual({ tools: {} });
        expect(protocolVersion).toBe('2025-03-26');
      },
      'the client is connected to "MCP-Server" 0.9.0': async () => {
        const { serverInfo, protocolVersion, state } = await session();
        expect(serverInfo).toMatchObject({ name: 'MCP-Server', version: '0.9.0' });
        expect({ protocolVersion, state }).toEqual({ protocolVersion: '2024-11-05', state: 'ready' });
      },
      "the client asks for the server's health": () => start(session().then((ready) => ready.health())),
      'the answer is an empty object': async () => expect(await outcome()).toEqual({}),
      'connecting fails with -32001 and the supported versions': () =>
        expect(session()).rejects.toMatchObject({
          code: -32001,
          data: { supported: ['1999-01-01'], requested: '2025-11-25' },
        }),
      'connecting fails because of the version': () =>
        expect(session()).rejects.toThrow(
          'The server speaks MCP 1999-01-01; this client speaks 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25',
        ),
    };
  },
};

/** A client that connects when told to, and its session once that is done. */
function connecting(client: Client, connection: Connection) {
  const { start, outcome } = pending();
  return {
    connect: () => start(client.connect(connection)),
    session: () => outcome() as Promise<ClientSession>,
  };
}

/** What was begun by one cue and is looked at by a later one. */
function pending() {
  let begun: Promise<unknown> = Promise.reject(new Error('Nothing was begun'));
  begun.catch(() => {});
  return {
    start: (promise: Promise<unknown>) => {
      begun = promise;
      begun.catch(() => {});
    },
    outcome: () => begun,
  };
}
