import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { editorWithHands } from '../../../testing/workspace-hands.ts';
import { describeEditor } from '../../editor.contract.ts';
import { describeWriteText } from '../../write-text.contract.ts';
import { workspaceEditor } from './workspace-editor.ts';

describeEditor('the workspace editor', editorWithHands);
describeWriteText('the workspace editor', editorWithHands);

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
