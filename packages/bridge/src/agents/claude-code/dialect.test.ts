import { beforeEach, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import { lockingAdapter } from '../../../testing/locking-adapter.ts';
import { Stage } from '../../../testing/stage.ts';
import type { OpenAdapter } from '../../agent.ts';
import { claudeCodeAdapter } from './adapter.ts';

const firstWord = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };
const nowhere = { line: 0, character: 0 };
/** What opencode takes for "nothing is selected". */
const cleared = { text: '', filePath: '', selection: { start: nowhere, end: nowhere, isEmpty: true } };

let stage: Stage;
let adapter: OpenAdapter;
let opencode: Agent;
let claude: Agent;
let path: string;

beforeEach(async () => {
  stage = new Stage(
    lockingAdapter('claude-code', '.claude/ide', (given) => claudeCodeAdapter({ ...given, runningInWindows: false })),
  );
  path = stage.file('a.ts', 'one\ntwo\nthree\n');
  adapter = await stage.openAdapter();
  claude = await stage.agent(adapter);
  opencode = await stage.agent(adapter, 'opencode');
});

it.each([
  ['a whole file', undefined, { lineStart: 1, lineEnd: 1 }],
  ['lines', { first: 1, last: 2 }, { lineStart: 2, lineEnd: 3 }],
  // opencode reads equal lines as "to the end of the file", so the next line comes along.
  ['one line', { first: 1, last: 1 }, { lineStart: 2, lineEnd: 3 }],
])('opencode gets a mention of %s with both lines, counted from 1', async (_what, lines, expected) => {
  const [toOpencode, toClaude] = [opencode, claude].map((agent) => agent.notification('at_mentioned'));
  stage.editor.mention(path, lines);
  expect(await toOpencode).toEqual({ filePath: path, ...expected });
  expect(await toClaude).toEqual({ filePath: path, ...(lines && { lineStart: lines.first, lineEnd: lines.last }) });
});

it('a pause clears the selection of opencode in a form that it reads, and that of Claude Code in its own', async () => {
  const selected = opencode.notification('selection_changed', ({ text }) => text === 'one');
  await stage.editor.openFile({ path, range: firstWord });
  await selected;
  const [toOpencode, toClaude] = [opencode, claude].map((agent) =>
    agent.notification('selection_changed', ({ text }) => text === ''),
  );
  stage.access.paused = true;
  expect(await toOpencode).toEqual(cleared);
  expect(await toClaude).toEqual({ text: '', selection: cleared.selection });
  const again = opencode.notification('selection_changed');
  stage.access.paused = false;
  expect(await again).toMatchObject({ text: 'one', filePath: path });
});

it('an opencode that reconnects while nothing is shared forgets the selection it had', async () => {
  stage.access.paused = true;
  const again = await stage.connect(adapter, 'opencode');
  const first = again.notification('selection_changed');
  await again.initialize();
  expect(await first).toEqual(cleared);
});
