import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { messages } from '@hawser/editor-protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EditorCommand, type LiveEditor, startEditor } from './live-editor.ts';

/** Longer than Vim's own reader of such messages waits for the rest of one: 100 ms. */
const PAUSE_MS = 400;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** What a plugin survives: a bridge that sends more, less or something else than this version of the protocol says. */
export function describeHostileBridge(name: string, command: EditorCommand): void {
  describe(`${name} and a bridge that does odd things`, () => {
    let folder: string;
    let live: LiveEditor;
    let received: Message[];
    let arrived: () => void;
    let lastId: number;

    beforeEach(async () => {
      folder = await realpath(await mkdtemp(join(tmpdir(), 'hawser-hostile-')));
      live = await startEditor(command, folder);
      received = [];
      arrived = () => {};
      lastId = 1_000_000_000;
      void live.framing.read(live.socket, (message) => {
        received.push(message as Message);
        arrived();
      });
    });

    afterEach(async () => {
      live.socket.destroy();
      await live.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    });

    const find = async (wanted: (message: Message) => boolean): Promise<Message> => {
      for (;;) {
        const found = received.find(wanted);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
    };
    const send = (message: object, more: object = {}) =>
      live.socket.write(live.framing.frame({ jsonrpc: '2.0', ...message, ...more }));
    const ask = async (method: string, params: unknown, more: object = {}): Promise<Message> => {
      lastId += 1;
      const id = lastId;
      send({ id, method, params }, more);
      return await find((message) => message.id === id && message.method === undefined);
    };
    const begin = async (more: object = {}) => {
      const { id, params } = await find(({ method }) => method === 'initialize');
      const hello = messages.initialize.params.read(params, 'params');
      const result = { protocolVersion: 1, serverInfo: { name: 'hawser', version: 'test' }, isShared: false, ...more };
      send({ id, result });
      await find(({ method }) => method === 'initialized');
      return hello;
    };
    /** It still does its work. */
    const showsFile = async () => {
      const path = join(folder, 'a.txt');
      await writeFile(path, 'one\n');
      const answer = await ask('window/showDocument', { uri: pathToFileURL(path).href, takeFocus: true });
      expect(answer.result).toMatchObject({ success: true });
    };

    const proposalOf = (oldText: string, newText: string, hunks: number[][]) => ({
      id: 'proposed',
      revision: 0,
      uri: pathToFileURL(join(folder, 'proposed.txt')).href,
      title: 'proposed.txt',
      agent: 'an agent',
      effect: 'edit',
      base: 'original',
      turn: 0,
      noteDelivery: 'words',
      isNewFile: false,
      lineEnd: '\n',
      hasBom: false,
      oldText,
      newText,
      hunks,
    });

    it('its first message is initialize, in this version and with a folder', async () => {
      const hello = await begin();
      expect(received[0]?.method).toBe('initialize');
      expect(hello.protocolVersion).toBe(1);
      expect(hello.workspaceFolders.map(({ uri }) => uri)).toEqual([pathToFileURL(folder).href]);
    });

    it('members, notifications and requests that it does not know harm nothing', async () => {
      const { capabilities } = await begin({ future: { list: [1, null] } });
      send({ method: 'bridge/ofTheFuture', params: { a: 1 } });
      send({
        method: 'bridge/status',
        params: { agents: [], paused: false, proposals: 0, environment: {}, future: 1 },
      });
      expect((await ask('editor/ofTheFuture', {})).error).toMatchObject({ message: expect.any(String) });
      if (capabilities.showDocument === true) await showsFile();
    });

    /** Asks it to show a file, with a message that `write` puts on the wire. */
    const showsByParts = async (write: (frame: Uint8Array) => Promise<void> | void) => {
      const path = join(folder, 'ä😀.txt');
      await writeFile(path, '');
      lastId += 1;
      const id = lastId;
      const params = { uri: pathToFileURL(path).href, takeFocus: true };
      await write(live.framing.frame({ jsonrpc: '2.0', id, method: 'window/showDocument', params }));
      expect((await find((message) => message.id === id && message.method === undefined)).result).toBeDefined();
    };

    it('a message in single bytes is read', async (context) => {
      const { capabilities } = await begin();
      if (capabilities.showDocument !== true) context.skip('it has no capability showDocument');
      await showsByParts((frame) => {
        for (const byte of frame) live.socket.write(Buffer.from([byte]));
      });
    });

    it('a message that pauses in its middle is read, while the editor does other things', async (context) => {
      const { capabilities } = await begin();
      if (capabilities.showDocument !== true) context.skip('it has no capability showDocument');
      await showsFile();
      // It is shown when the user, whose cursor has just moved, is idle: Vim looks at that again and again.
      if (capabilities.proposals !== undefined)
        await ask('proposal/show', proposalOf('one\n', 'two\n', [[0, 1, 0, 1]]));
      await showsByParts(async (frame) => {
        live.socket.write(frame.subarray(0, frame.length / 2));
        // The pause itself is what is tested.
        await delay(PAUSE_MS);
        live.socket.write(frame.subarray(frame.length / 2));
      });
    });

    it('a file that is not there is answered with an error', async (context) => {
      const { capabilities } = await begin();
      if (capabilities.showDocument !== true) context.skip('it has no capability showDocument');
      const answer = await ask('window/showDocument', {
        uri: pathToFileURL(join(folder, 'none', 'missing.txt')).href,
        takeFocus: true,
      });
      expect(answer.error ?? answer.result).toBeDefined();
      await showsFile();
    });

    it('proposals that it does not know are closed without harm, and a large one is answered', async (context) => {
      const { capabilities } = await begin();
      if (capabilities.proposals === undefined) context.skip('it has no capability proposals');
      send({ method: 'proposal/close', params: { id: 'unknown', outcome: { kind: 'withdrawn', reason: 'test' } } });
      send({ method: 'proposal/progress', params: { id: 'unknown', revision: 0, progress: { kind: 'undecided' } } });
      const line = 'const value = "Grüße, 你好"; // a line\n';
      const oldText = line.repeat(100_000);
      const shown = await ask('proposal/show', proposalOf(oldText, `${oldText}more\n`, [[100_000, 0, 100_000, 1]]));
      expect(shown.error).toBeUndefined();
      send({ method: 'proposal/close', params: { id: 'proposed', outcome: { kind: 'withdrawn', reason: 'test' } } });
      expect((await ask('editor/ofTheFuture', {})).error).toBeDefined();
    });

    it('it outlives a bridge that dies', async () => {
      await begin();
      live.socket.destroy();
      await live.stop();
      expect(live.stderr()).not.toMatch(/Uncaught|Unhandled|Traceback/i);
    });
  });
}
