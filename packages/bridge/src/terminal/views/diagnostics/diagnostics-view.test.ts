import { describe, expect, it } from 'vitest';
import { openBridgeUnderTest } from '../../../../testing/open-bridge.ts';
import { shownView } from '../../../../testing/shown-view.ts';
import type { FileDiagnostics, Severity } from '../../../editor.ts';
import { workspaceEditor } from '../../../editors/workspace/workspace-editor.ts';
import type { LanguageFacts } from '../../facts.ts';
import { DiagnosticsView } from './diagnostics-view.ts';

const problem = (severity: Severity, message: string, line: number) => ({
  severity,
  message,
  range: { start: { line, character: 2 }, end: { line, character: 3 } },
  source: 'tsc',
  code: 2322,
});

/** A view of an editor whose problems the test sets. */
async function shown(first: readonly FileDiagnostics[], languages?: readonly LanguageFacts[]) {
  let now = first;
  let tell = () => {};
  const { client, folder } = await openBridgeUnderTest((given) => ({
    ...workspaceEditor({ folders: [given] }),
    diagnostics: async () => now,
    subscribe: (listener) => {
      tell = () => listener({ kind: 'diagnostics', paths: now.map(({ path }) => path) });
      return () => {};
    },
  }));
  const opened: string[] = [];
  const { view, at } = shownView(
    (screen) =>
      new DiagnosticsView({
        screen,
        bridge: client,
        nameOf: (path) => path.slice(1),
        openFile: (path, line) => opened.push(`${path}:${line}`),
        languages: () => languages,
      }),
  );
  await client.attach({ name: 'test', show: () => {} }, (status) => view.setStatus(status));
  const change = (next: readonly FileDiagnostics[]) => {
    now = next;
    tell();
  };
  return { view, at, opened, change, folder };
}

describe('the diagnostics view', () => {
  it('lists the worst first, shows the whole message, and opens the file at the line', async () => {
    const { view, at, opened } = await shown([
      { path: '/a.ts', diagnostics: [problem('hint', 'a hint', 0), problem('warning', 'a warning', 1)] },
      { path: '/b.ts', diagnostics: [problem('error', 'Type string is\nnot a number', 41)] },
    ]);
    const screen = await at.sees('1 error, 1 warning, 1 hint');
    expect(screen).toMatch(/> error {3}b\.ts:42:3 Type string is\n {2}warning a\.ts:2:3 a warning\n {2}hint/);
    expect(screen).toContain('Type string is not a number  (tsc 2322)');
    expect(view.badge).toBe('3');
    at.press('\r');
    at.press('j\r');
    await at.sees('> warning');
    expect(opened).toEqual(['/b.ts:41', '/a.ts:1']);
  });

  it('follows what the editor reports', async () => {
    const { at, change } = await shown([{ path: '/a.ts', diagnostics: [problem('error', 'wrong', 0)] }]);
    await at.sees('1 error');
    change([]);
    await at.sees('Hawser reports no problems.');
  });

  it('says what is checked and by what, and what would check the rest; without a checker it does not reassure', async () => {
    const missing = { languages: 'TypeScript', install: 'npm i -D typescript' };
    const failed = { languages: 'Go', checkedBy: 'gopls', problem: 'no go here' };
    const { at } = await shown([], [missing, failed]);
    const screen = await at.sees('Nothing is checked here.');
    expect(screen).toContain(
      '  TypeScript  not checked: no language server was found\n              npm i -D typescript adds one\n',
    );
    expect(screen).toContain('  Go          not checked: gopls failed: no go here\n');
    const { at: other } = await shown([], [{ languages: 'Go', checkedBy: 'gopls 1.2' }, missing]);
    expect(await other.sees('No problems found.')).toContain('  Go          checked by gopls 1.2\n');
    const { at: none } = await shown([], []);
    await none.sees('Nothing is checked here.');
  });

  it('says so below problems, too', async () => {
    const missing = { languages: 'Python', install: 'pip install basedpyright' };
    const { at } = await shown([{ path: '/a.ts', diagnostics: [problem('error', 'wrong', 0)] }], [missing]);
    const screen = await at.sees('1 error');
    expect(screen).toContain(
      '  Python  not checked: no language server was found\n          pip install basedpyright adds one\n',
    );
  });

  it('says how many are not listed', async () => {
    const many = Array.from({ length: 6000 }, (_, line) => problem('error', 'wrong', line));
    const { at } = await shown([{ path: '/a.ts', diagnostics: many }]);
    await at.sees('5000 errors, 1000 more not listed');
  });

  it('says how to get diagnostics if the editor has none', async () => {
    const { client } = await openBridgeUnderTest();
    const { at } = shownView(
      (screen) =>
        new DiagnosticsView({
          screen,
          bridge: client,
          nameOf: (path) => path,
          openFile: () => {},
          languages: () => undefined,
        }),
    );
    await at.sees('hawser serve --diagnostics COMMAND');
  });
});
