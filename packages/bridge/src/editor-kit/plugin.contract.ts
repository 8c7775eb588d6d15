import { pathToFileURL } from 'node:url';
import type { EditorCapabilities, ParamsOf, RequestFrom, ResultOf } from '@hawser/editor-protocol';
import type { Connection } from '@hawser/mcp';
import { messageOf } from '@hawser/unknown-values/thrown';
import { describeEditor, type EditorUnderTest } from '../editor.contract.ts';
import type { Diagnostic } from '../editor.ts';
import { acceptEditor, type RemoteEditor } from '../editors/remote/remote-editor.ts';
import { describeLanguageFeatures } from '../language-features.contract.ts';
import type { ReviewQueue } from '../review/queue.ts';
import { describeReviewer, type ReviewerUnderTest } from '../review/reviewer.contract.ts';
import { describeWriteText } from '../write-text.contract.ts';
import { describeHostileBridge } from './hostile-bridge.contract.ts';
import { type EditorCommand, startEditor } from './live-editor.ts';
import { describeSession, type OpenSession } from './session.contract.ts';

type Hand = Extract<RequestFrom<'bridge'>, `test/${string}`>;

/** A plugin that can't be tested in this respect, because it has not the hand for it. */
export class MissingHand extends Error {
  override readonly name = 'MissingHand';
}

/** A live editor, accepted as the bridge does it. */
export async function openLiveEditor(
  command: EditorCommand,
  folder: string,
  through = (connection: Connection): Connection => connection,
) {
  const live = await startEditor(command, folder);
  try {
    const editor = await acceptEditor({
      connection: through(live.framing.connect(live.socket)),
      carriesNul: live.framing.isNeovims,
      waitsForPrompts: live.framing.isNeovims,
      stateFolder: live.home,
      serverInfo: { name: 'hawser', version: 'test' },
      isShared: false,
    });
    return {
      editor,
      dispose: async () => {
        await editor.close();
        await live.stop();
      },
    };
  } catch (error) {
    await live.stop();
    throw new Error(`${messageOf(error)} ${live.stderr()}`.trim(), { cause: error });
  }
}

/** What every plugin does, by its capabilities. Each test has an editor of its own. */
export function describePlugin(name: string, command: EditorCommand, capabilities: EditorCapabilities): void {
  describeHostileBridge(name, command);
  if (capabilities.showDocument === true) {
    const open: OpenSession = (folder, through) => openLiveEditor(command, folder, through);
    describeSession(name, open, command.variables.HAWSER_RECORD);
    describeEditor(name, (folder) => makeEditor(command, folder), { lacks: lacksOf(capabilities) });
  }
  if (capabilities.writeText === true) describeWriteText(name, (folder) => makeEditor(command, folder));
  if (capabilities.proposals !== undefined) {
    describeReviewer(name, (folder) => makeReviewer(command, folder), {
      lacks: {
        says: 'it has no test/says',
        ...(capabilities.proposals.rounds !== true && { rounds: 'it has no capability proposals.rounds' }),
      },
    });
  }
  if ((capabilities.language ?? []).length > 0) {
    describeLanguageFeatures(name, (folder) => openLiveEditor(command, folder));
  }
}

/** Suites that are not run for a plugin with these capabilities, and why. */
export function suitesLeftOut({ showDocument, writeText, proposals, language }: EditorCapabilities) {
  const suites = [
    ['documents, saving, selection and events', 'showDocument', showDocument === true],
    ['what is written', 'writeText', writeText === true],
    ['proposals', 'proposals', proposals !== undefined],
    ['language features', 'language', (language ?? []).length > 0],
  ] as const;
  return suites.flatMap(([name, needs, isRun]) => (isRun ? [] : [{ name, reason: `needs the capability ${needs}` }]));
}

function lacksOf(capabilities: EditorCapabilities): Record<string, string> {
  const members = {
    openDocuments: 'documents',
    save: 'save',
    closeFile: 'close',
    format: 'format',
    diagnostics: 'diagnostics',
  } as const;
  const missing = Object.entries(members).filter(([, capability]) => capabilities[capability] !== true);
  return Object.fromEntries(missing.map(([member, capability]) => [member, `it has no capability ${capability}`]));
}

async function makeEditor(command: EditorCommand, folder: string): Promise<EditorUnderTest> {
  const { editor, dispose } = await openLiveEditor(command, folder);
  const hands = handsOf(editor);
  const unformatted = hands.has('test/format') ? await hands.use('test/format', undefined) : undefined;
  return {
    editor,
    type: (path, text) => hands.use('test/type', { uri: uriOf(path), text }),
    select: (path, range) => hands.use('test/select', { uri: uriOf(path), range }),
    ...(hands.has('test/mention') && {
      mention: (path, lines) => {
        const range = lines && { start: { line: lines.first, character: 0 }, end: { line: lines.last, character: 1 } };
        return hands.use('test/mention', { uri: uriOf(path), ...(range && { range }) });
      },
    }),
    ...(hands.has('test/folder') && {
      changeFolders: ([path]: readonly [string, ...string[]]) => hands.use('test/folder', { path }),
    }),
    ...(hands.has('test/report') && {
      report: (path: string, problem: Diagnostic) =>
        hands.use('test/report', {
          uri: uriOf(path),
          diagnostic: { ...problem, severity: SEVERITIES[problem.severity] },
        }),
    }),
    ...(unformatted && { unformatted }),
    dispose,
  };
}

async function makeReviewer(command: EditorCommand, folder: string): Promise<ReviewerUnderTest> {
  const { editor, dispose } = await openLiveEditor(command, folder);
  const hands = handsOf(editor);
  /** Ids by path, of proposals that have ended, too. */
  const ids = new Map<string, string>();
  const idOf = async (path: string) => {
    await until(async () => ids.has(path));
    return ids.get(path) ?? '';
  };
  const isShown = async (path: string) => (await hands.use('test/shown', { id: await idOf(path) })).isShown;
  return {
    attach: async (queue: ReviewQueue) => {
      for (const { path, id } of queue.list()) ids.set(path, id);
      queue.subscribe(({ proposal }) => ids.set(proposal.path, proposal.id));
      if (editor.reviewer !== undefined) queue.attach(editor.reviewer);
    },
    decides: 'user',
    decide: async (path, decision) => hands.use('test/decide', { id: await idOf(path), decision }),
    ...(hands.has('test/dismiss') && {
      dismiss: async (path: string) => {
        await until(() => isShown(path));
        await hands.use('test/dismiss', { id: await idOf(path) });
      },
    }),
    ...(hands.has('test/shown') && {
      shown: (path: string) => until(() => isShown(path)),
      gone: (path: string) => until(async () => !(await isShown(path))),
    }),
    ...(hands.has('test/says') && {
      says: async (path: string, words: string) => {
        const id = await idOf(path);
        await until(async () => (await hands.use('test/says', { id, words })).isSaid);
      },
    }),
    dispose,
  };
}

function handsOf(editor: RemoteEditor) {
  const known = editor.capabilities.test ?? [];
  return {
    has: (hand: Hand) => known.includes(hand),
    use: async <H extends Hand>(hand: H, params: ParamsOf<H>): Promise<ResultOf<H>> => {
      if (!known.includes(hand)) throw new MissingHand(`it has no ${hand}`);
      return await editor.link.request(hand, params);
    },
  };
}

const SEVERITIES = { error: 1, warning: 2, info: 3, hint: 4 } as const;
const LOOK_AGAIN_MS = 10;

async function until(condition: () => Promise<boolean>): Promise<void> {
  // The screen of an editor sends no events.
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
}

function uriOf(path: string): string {
  return pathToFileURL(path).href;
}
