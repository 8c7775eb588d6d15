import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EditorUnderTest } from '../src/editor.contract.ts';
import { type WorkspaceEditor, workspaceEditor } from '../src/editors/workspace/workspace-editor.ts';

/** Says what is in `.problems`, if there is such a file. */
const sayProblems = "try { console.log(require('fs').readFileSync('.problems', 'utf8')) } catch {}";
const upperCase = "process.stdin.on('data', (data) => process.stdout.write(String(data).toUpperCase()))";

/** The embedded editor of a folder, and the hands of its user. */
export async function editorWithHands(folder: string): Promise<EditorUnderTest & { readonly editor: WorkspaceEditor }> {
  const editor = workspaceEditor({
    folders: [folder],
    diagnosticsCommand: {
      command: [process.execPath, '-e', sayProblems],
      matcher: {
        pattern: /^(?<file>.+)\|(?<line>\d+)\|(?<column>\d+)\|(?<endColumn>\d+)\|(?<severity>\w+)\|(?<message>.*)$/,
      },
    },
    formatCommand: { command: [process.execPath, '-e', upperCase] },
  });
  return {
    editor,
    type: async (path, text) => editor.setText(path, text),
    select: (path, range) => editor.setSelection(path, range),
    mention: async (path, lines) => editor.mention(path, lines),
    changeFolders: async (folders) => editor.setFolders(folders),
    report: async (path, { message, severity, range }) => {
      const numbers = [range.start.line + 1, range.start.character + 1, range.end.character + 1];
      await writeFile(join(folder, '.problems'), [path, ...numbers, severity, message].join('|'));
      editor.refreshDiagnostics();
    },
    unformatted: { name: 'a.txt', text: 'loud\n', formatted: 'LOUD\n' },
    dispose: () => editor.close(),
  };
}
