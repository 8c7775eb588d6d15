import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Connection, type Message, memoryPair } from '@hawser/mcp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acceptEditor } from '../editors/remote/remote-editor.ts';
import { holdSession, makeSessionFolder, type RecordedMessage, readSession } from './session.contract.ts';

// HAWSER_RECORD=packages/editor-protocol/recordings in the environment of an editor's kit records it anew.
const RECORDINGS = fileURLToPath(new URL('../../../editor-protocol/recordings/', import.meta.url));
const files = readdirSync(RECORDINGS).map((name) => join(RECORDINGS, name));

describe('a recorded session', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await makeSessionFolder();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it.for(files.map((file) => [basename(file, '.jsonl'), file] as const))(
    '%s: this bridge understands what the editor said, and asks it the same',
    async ([, file]) => {
      const { facts, messages } = await readSession(file, folder);
      const [ours, theirs] = memoryPair({ copy: 'json' });
      const playing = new EditorPlayer(theirs).play(messages);
      const editor = await acceptEditor({
        connection: ours,
        stateFolder: folder,
        serverInfo: { name: 'hawser', version: 'test' },
        isShared: false,
      });
      expect(await holdSession(editor, folder)).toEqual(facts);
      await playing;
      await editor.close();
    },
  );

  it('there is one of each editor that runs here', () => {
    expect(files.map((file) => basename(file, '.jsonl'))).toEqual(expect.arrayContaining(['emacs', 'neovim', 'vim']));
  });
});

/** Plays the editor's side of a session: sends each message once the bridge has sent all that preceded it. */
class EditorPlayer {
  readonly #connection: Connection;
  readonly #received: Message[] = [];
  #arrived = () => {};
  /** Of requests of the bridge and of proposals: what was recorded, and what it is now. */
  readonly #ids = new Map<unknown, unknown>();

  constructor(connection: Connection) {
    this.#connection = connection;
    const nothing = () => {};
    connection.start({
      message: (message) => {
        this.#received.push(message);
        this.#arrived();
      },
      malformed: nothing,
      batch: nothing,
      refused: nothing,
      ended: nothing,
      closed: nothing,
    });
  }

  async play(messages: readonly RecordedMessage[]): Promise<void> {
    for (const { from, ...recorded } of messages) {
      if (from === 'editor') this.#send(recorded);
      // That comes when a file changes, and here none does.
      else if (recorded.method !== 'workspace/didChangeWatchedFiles') await this.#heard(recorded);
    }
  }

  #send(recorded: Omit<RecordedMessage, 'from'>): void {
    const { params, id, method } = recorded;
    const named = idIn(params);
    this.#connection.send({
      jsonrpc: '2.0',
      ...recorded,
      ...(method === undefined && { id: this.#ids.get(id) }),
      ...(this.#ids.has(named) && { params: { ...(params as object), id: this.#ids.get(named) } }),
    } as Message);
  }

  async #heard(recorded: Omit<RecordedMessage, 'from'>): Promise<void> {
    const isIt = (message: Message) =>
      recorded.method === undefined
        ? !('method' in message) && message.id === recorded.id
        : 'method' in message && message.method === recorded.method;
    let at = this.#received.findIndex(isIt);
    while (at === -1) {
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
      at = this.#received.findIndex(isIt);
    }
    const [message] = this.#received.splice(at, 1);
    if (recorded.method === undefined || message === undefined) return;
    this.#ids.set(recorded.id, (message as { id?: unknown }).id);
    this.#ids.set(idIn(recorded.params), idIn((message as { params?: unknown }).params));
  }
}

const idIn = (params: unknown): unknown => (params as { id?: unknown } | undefined)?.id;
