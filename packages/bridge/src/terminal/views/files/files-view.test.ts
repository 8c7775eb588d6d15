import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type BridgeUnderTest, openBridgeUnderTest } from '../../../../testing/open-bridge.ts';
import { shownView } from '../../../../testing/shown-view.ts';
import type { Editor } from '../../../editor.ts';
import { FileWatch } from '../../../editors/file-watch.ts';
import { workspaceEditor } from '../../../editors/workspace/workspace-editor.ts';
import type { Screen } from '../../view.ts';
import { FilesView } from './files-view.ts';

let stage: BridgeUnderTest;

const ESCAPE = '\x1b';
const SHIFT_DOWN = '\x1b[1;2B';

async function open(makeEditor?: (folder: string) => Editor): Promise<void> {
  stage = await openBridgeUnderTest(makeEditor);
  stage.file('src/review/queue.ts', 'one\ntwo\n\tthree\nfour');
  stage.file('src/agents/agent.ts', 'agent\n');
  stage.file('.env', 'KEY=1\n');
}

beforeEach(() => open());

function filesView(screen: Screen, nameOf: (path: string) => string): FilesView {
  const watch = new FileWatch(
    (path) => view.fileChanged(path),
    () => {},
  );
  onTestFinished(() => watch.close());
  const view = new FilesView({ screen, bridge: stage.client, nameOf, highlight: () => () => [], watch });
  return view;
}

async function shown(size?: { columns: number; rows: number }) {
  const nameOf = (path: string) => path.slice(stage.folder.length + 1);
  const made = shownView((screen) => filesView(screen, nameOf), size);
  made.view.setStatus(await stage.client.status());
  await made.at.sees('3 files');
  return made;
}

/** A file on the screen. */
async function viewing(name: string) {
  const { view, at } = await shown();
  await view.open(`${stage.folder}/${name}`);
  await at.sees(`${name}  `);
  return at;
}

describe('the finder', () => {
  it('lists the files and marks those whose text agents do not see', async () => {
    const { at } = await shown();
    const screen = await at.sees('denied: agents don’t see its text');
    expect(screen).toMatch(/^> \.env {2}denied/m);
    expect(screen).toMatch(/^ {2}src\/agents\/agent\.ts$/m);
  });

  it('finds a file by some characters of its path, and Enter opens it', async () => {
    const { at } = await shown();
    at.press('/revq');
    await at.sees((screen) => screen.includes('> src/review/queue.ts') && !screen.includes('agent.ts'));
    at.press('\r');
    expect(await at.sees('src/review/queue.ts  agents see that it is open')).toContain('>1 one');
  });

  it('a file that is chosen before the files are listed opens when they are', async () => {
    const { at } = shownView((screen) => filesView(screen, (path) => path));
    at.press('/revq\r');
    await at.sees('queue.ts  agents see that it is open');
  });

  it('digits and q are typed while a query is typed, and change the view afterwards', async () => {
    const { at } = await shown();
    at.press('/2q');
    await at.sees('/ 2q');
    at.press(ESCAPE);
    await at.sees('/ 2q   0 of 3 files');
    at.press('2');
    await at.sees('the other view');
  });

  it('lists files again that came later', async () => {
    const { at } = await shown();
    stage.file('later.ts', '');
    at.press('R');
    await at.sees('4 files');
  });

  it('lists the files again when the user comes back, and the chosen one stays chosen', async () => {
    const { at } = await shown();
    at.press('j2');
    await at.sees('the other view');
    stage.file('.a-first.ts', '');
    at.press('1');
    expect(await at.sees('4 files')).toContain('> src/agents/agent.ts');
  });

  it('works in 20 columns and 6 rows', async () => {
    const { at } = await shown({ columns: 20, rows: 6 });
    expect(at.screen.split('\n').every((row) => row.length <= 20)).toBe(true);
  });
});

describe('the viewer', () => {
  it('shows what the file has become, drops the selection, and shares nothing that the user does not see', async () => {
    const agent = await stage.agent();
    const at = await viewing('src/review/queue.ts');
    const selected = agent.notification('selection_changed', ({ text }) => text === 'one\n');
    at.press('v');
    await selected;
    stage.file('src/review/queue.ts', 'zero\none\ntwo\n');
    await at.sees('src/review/queue.ts has changed; the selection is dropped.');
    await at.sees((text) => /^>1 zero\n 2 one$/m.test(text));
    const again = agent.notification('selection_changed', ({ text }) => text !== '');
    at.press('v');
    expect((await again).text).toBe('zero\n');
  });

  it('a file that is deleted while it is shown says so', async () => {
    const at = await viewing('src/agents/agent.ts');
    rmSync(join(stage.folder, 'src/agents/agent.ts'));
    await at.sees('No such file');
  });

  it('shares the selected lines with agents, also at the end of a text without a line end', async () => {
    const agent = await stage.agent();
    const at = await viewing('src/review/queue.ts');
    const first = agent.notification('selection_changed', ({ text }) => text.startsWith('two'));
    at.press(`j${SHIFT_DOWN}`);
    expect((await first).text).toBe('two\n\tthree\n');
    await at.sees('lines 2 to 3 selected  agents see the selection');
    const last = agent.notification('selection_changed', ({ text }) => text.endsWith('four'));
    at.press(SHIFT_DOWN);
    expect((await last).text).toBe('two\n\tthree\nfour');
    expect(at.screen).toMatch(/^\|3 {5}three/m);
  });

  it('v selects until it is pressed again, and Esc drops the selection, then the file', async () => {
    const at = await viewing('src/review/queue.ts');
    at.press('vjj');
    await at.sees('lines 1 to 3 selected');
    at.press(ESCAPE);
    await at.sees('agents see that it is open');
    at.press(ESCAPE);
    await at.sees('3 files');
  });

  it('@ sends the selected lines as a mention, and says how many agents got it', async () => {
    const agent = await stage.agent();
    const at = await viewing('src/review/queue.ts');
    const mention = agent.notification('at_mentioned');
    at.press('jvj@');
    expect(await mention).toEqual({ filePath: `${stage.folder}/src/review/queue.ts`, lineStart: 1, lineEnd: 2 });
    await at.sees('src/review/queue.ts:2-3 sent to 1 agent.');
  });

  it('a mention without agents, or of a denied file, says why nothing was sent', async () => {
    const at = await viewing('.env');
    at.press('@');
    await at.sees('Denied: the text of');
    expect(at.screen).toContain('denied: agents don’t see its text');
    at.press(`${ESCAPE}`);
    await at.sees('3 files');
    at.press('j@');
    await at.sees('No agent is connected');
  });

  it('leaves the selection of an editor with a window alone, and says so', async () => {
    await open((folder) => {
      const { isWindowless: _, ...editor } = workspaceEditor({ folders: [folder] });
      return editor;
    });
    const at = await viewing('src/review/queue.ts');
    at.press('v');
    await at.sees('the editor’s own selection is shared; @ sends this as a mention');
    expect((await stage.client.status()).shared).toEqual({ kind: 'nothing', reason: 'no open file' });
  });

  it('goes to a line, and copies through the terminal', async () => {
    const at = await viewing('src/review/queue.ts');
    at.press(':3\r');
    await at.sees('>3');
    at.press('c');
    await at.sees('Copied from src/review/queue.ts.');
    expect(at.output).toContain(`\x1b]52;c;${Buffer.from('\tthree\n').toString('base64')}\x07`);
    at.press(':x\r');
    await at.sees('Not a line number: x');
  });

  it('says why a file can’t be shown', async () => {
    const { view, at } = await shown();
    await view.open(`${stage.folder}/none.ts`);
    await at.sees('No such file');
  });
});
