import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { EditorCapabilities } from '@hawser/editor-protocol';
import type { Connection, Message } from '@hawser/mcp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RemoteEditor } from '../editors/remote/remote-editor.ts';
import { ReviewQueue } from '../review/queue.ts';

/** What was said in one session, and what the bridge made of it. */
export interface RecordedSession {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly messages: readonly RecordedMessage[];
}

/** Without `jsonrpc`. */
export interface RecordedMessage {
  readonly from: 'editor' | 'bridge';
  readonly id?: unknown;
  readonly method?: string | undefined;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Stands for the folder of the session. */
const FOLDER = '/session';

const HANDS = ['test/select', 'test/type', 'test/decide'];
const TEXT = 'one\ntwo\nthree\n';
const TYPED = 'one\n2\nthree\n';
const RANGE = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };
const { signal } = new AbortController();

/** Notes every message of a connection. */
function recorded(connection: Connection, messages: RecordedMessage[]): Connection {
  const note = (from: RecordedMessage['from'], { jsonrpc: _, ...message }: Message) =>
    messages.push({ from, ...structuredClone(message) });
  return {
    ...(connection.idsAfter !== undefined && { idsAfter: connection.idsAfter }),
    start: (receiver) =>
      connection.start({
        message: (message, origin) => {
          note('editor', message);
          receiver.message(message, origin);
        },
        malformed: (malformed) => receiver.malformed(malformed),
        batch: (items, origin) => receiver.batch(items, origin),
        refused: (id, reason) => receiver.refused(id, reason),
        ended: () => receiver.ended(),
        closed: (reason) => receiver.closed(reason),
      }),
    send: (message, hints) => {
      if ('jsonrpc' in message) note('bridge', message);
      connection.send(message, hints);
    },
    abandon: (id) => connection.abandon?.(id),
    drained: (id) => connection.drained(id),
    close: (reason) => connection.close(reason),
  };
}

/** What a user and an agent do with an editor, as far as it can; the facts are what the bridge knows in the end. */
export async function holdSession(editor: RemoteEditor, folder: string): Promise<RecordedSession['facts']> {
  const path = join(folder, 'a.txt');
  const uri = pathToFileURL(path).href;
  const { link, capabilities } = editor;
  const facts: Record<string, unknown> = {};
  const until = async (holds: () => Promise<boolean>) => {
    let changed = () => {};
    const unsubscribe = editor.subscribe(() => changed());
    for (;;) {
      const change = new Promise<void>((resolve) => {
        changed = resolve;
      });
      if (await holds()) return unsubscribe();
      await change;
    }
  };
  const document = async () => (await editor.openDocuments()).find((each) => each.path === path);

  await editor.openFile({ path });
  if (capabilities.documents === true) {
    const { isActive, lineCount } = (await document()) ?? {};
    facts.opened = { isActive, lineCount };
  }
  await link.request('test/select', { uri, range: RANGE });
  await until(async () => (await editor.selection())?.text === 'two');
  facts.selected = (await editor.selection())?.range;
  // Nothing is shown over a selection that is being made.
  await link.request('test/select', { uri, range: { start: RANGE.start, end: RANGE.start } });
  await until(async () => (await editor.selection())?.text === '');
  if (capabilities.documents === true && capabilities.save === true) {
    await link.request('test/type', { uri, text: TYPED });
    await until(async () => (await document())?.isDirty === true);
    await editor.save?.(path);
    facts.isDirtyAfterSave = (await document())?.isDirty;
  }
  if (editor.reviewer !== undefined) facts.outcomes = await decideAll(editor, folder);
  if (capabilities.documents === true && capabilities.close === true) {
    await editor.closeFile?.(path);
    facts.isOpenAfterClose = (await document()) !== undefined;
  }
  return facts;
}

async function decideAll(editor: RemoteEditor, folder: string): Promise<readonly unknown[]> {
  const queue = new ReviewQueue({
    applier: { apply: async (writes) => writes.map(({ text = '' }) => ({ accepted: text, saved: text })) },
    onProblem: () => {},
  });
  if (editor.reviewer !== undefined) queue.attach(editor.reviewer);
  const outcomes: unknown[] = [];
  const decisions = [
    { kind: 'accepted' },
    { kind: 'accepted', text: 'ONE!\ntwo\n' },
    { kind: 'rejected', notes: [{ text: 'not this' }] },
  ] as const;
  for (const [index, decision] of decisions.entries()) {
    const change = { path: join(folder, `${index}.txt`), title: 'a change', oldText: 'one\ntwo\n', agent: 'an agent' };
    const outcome = queue.propose({ ...change, newText: 'ONE\ntwo\n' }, { owner: queue, signal });
    const id = await new Promise<string>((resolve) => {
      queue.subscribe(({ proposal }) => resolve(proposal.id));
      for (const known of queue.list()) resolve(known.id);
    });
    await editor.link.request('test/decide', { id, decision });
    const { kind, text, notes } = (await outcome) as { kind: string; text?: string; notes?: unknown };
    outcomes.push({ kind, ...(kind === 'accepted' ? { text } : { notes }) });
  }
  await queue.close('the session is over');
  return outcomes;
}

/** A folder as a session needs it. */
export async function makeSessionFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'hawser-session-')));
  await writeFile(join(folder, 'a.txt'), TEXT);
  for (const index of [0, 1, 2]) await writeFile(join(folder, `${index}.txt`), 'one\ntwo\n');
  return folder;
}

/** Opens a live editor, with what is done to the connection to it. */
export type OpenSession = (
  folder: string,
  through: (connection: Connection) => Connection,
) => Promise<{ readonly editor: RemoteEditor; dispose(): Promise<void> }>;

/** A short session with a live editor. With `recordTo`, what was said is written to a file in that folder. */
export function describeSession(name: string, open: OpenSession, recordTo: string | undefined): void {
  describe(`${name} in a session`, () => {
    let folder: string;
    beforeEach(async () => {
      folder = await makeSessionFolder();
    });
    afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

    it('files, a selection and decisions pass both ways', async (context) => {
      const messages: RecordedMessage[] = [];
      const { editor, dispose } = await open(folder, (connection) => recorded(connection, messages));
      try {
        const { test = [] } = editor.capabilities;
        const missing = HANDS.find((hand) => !test.includes(hand));
        if (missing !== undefined) context.skip(`it has no ${missing}`);
        const facts = await holdSession(editor, folder);
        expect(facts).toEqual(expectedFacts(editor.capabilities));
        const file = `${editor.name.toLowerCase().replaceAll(' ', '-')}.jsonl`;
        if (recordTo !== undefined) await writeSession(join(recordTo, file), folder, facts, messages);
      } finally {
        await dispose();
      }
    });
  });
}

function expectedFacts({ documents, save, proposals, close }: EditorCapabilities): RecordedSession['facts'] {
  return {
    ...(documents === true && { opened: { isActive: true, lineCount: 4 } }),
    selected: RANGE,
    ...(documents === true && save === true && { isDirtyAfterSave: false }),
    ...(proposals !== undefined && {
      outcomes: [
        { kind: 'accepted', text: 'ONE\ntwo\n' },
        { kind: 'accepted', text: 'ONE!\ntwo\n' },
        { kind: 'rejected', notes: [{ text: 'not this' }] },
      ],
    }),
    ...(documents === true && close === true && { isOpenAfterClose: false }),
  };
}

/** A line for the facts, and one for each message. */
async function writeSession(
  path: string,
  folder: string,
  facts: RecordedSession['facts'],
  messages: readonly RecordedMessage[],
): Promise<void> {
  const plain = (key: string, value: unknown) => (['processId', 'deadline'].includes(key) ? 1 : value);
  const lines = [facts, ...messages].map((each) => JSON.stringify(each, plain).replaceAll(folder, FOLDER));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${lines.join('\n')}\n`);
}

/** `folder` takes the place of that of the session. */
export async function readSession(path: string, folder: string): Promise<RecordedSession> {
  const [facts = '', ...messages] = (await readFile(path, 'utf8')).replaceAll(FOLDER, folder).trimEnd().split('\n');
  return { facts: JSON.parse(facts), messages: messages.map((line) => JSON.parse(line)) };
}
