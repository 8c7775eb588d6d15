import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { describeEditor, type EditorUnderTest } from '../../editor.contract.ts';
import { describeWriteText } from '../../write-text.contract.ts';
import { workspaceEditor } from './workspace-editor.ts';

/** Says what is in `.problems`, if there is such a file. */
const sayProblems = "try { console.log(require('fs').readFileSync('.problems', 'utf8')) } catch {}";
const upperCase = "process.stdin.on('data', (data) => process.stdout.write(String(data).toUpperCase()))";

describeEditor('the workspace editor', makeEditor);
describeWriteText('the workspace editor', makeEditor);

it('closes when the formatter has ended and its copy of the file is removed', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'a.txt');
  await writeFile(path, 'text');
  const server = createServer().listen(join(folder, 'started'));
  const begun = once(server, 'connection');
  const hang = "require('net').connect('started'); setInterval(() => {}, 1000)";
  const command = [process.execPath, '-e', hang, '{file}'] as const;
  const editor = workspaceEditor({ folders: [folder], formatCommand: { command } });
  await editor.openFile({ path });
  const refused = expect(editor.format?.(path)).rejects.toThrow('The editor was closed');
  await begun;
  expect(readdirSync(folder)).toHaveLength(3);
  await editor.close();
  expect(readdirSync(folder).sort()).toEqual(['a.txt', 'started']);
  await refused;
  server.close();
});

async function makeEditor(folder: string): Promise<EditorUnderTest> {
  const editor = workspaceEditor({
    folders: [folder],
    diagnosticsCommand: {
      command: [process.execPath, '-e', sayProblems],
      matcher: {
        pattern: /^(?<file>.+)\|(?<line>\d+)\|(?<column>\d+)\|(?<endColumn>\d+)\|(?<severity>\w+)\|(?<message>.*)$/,
      },
      delayMs: 1,
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
