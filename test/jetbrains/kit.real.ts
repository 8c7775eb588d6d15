import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { EditorCommand } from '../../packages/bridge/src/editor-kit/live-editor.ts';
import { describePlugin, openLiveEditor } from '../../packages/bridge/src/editor-kit/plugin.contract.ts';
import { describeLanguageFeatures } from '../../packages/bridge/src/language-features.contract.ts';
import { temporaryFolder } from '../../packages/bridge/testing/temporary-folder.ts';

// Each test is a project in the IDE that `npm run test:real -- jetbrains` has started.
const IN_IDE = fileURLToPath(new URL('../../editors/jetbrains/test/in-ide.mjs', import.meta.url));
const NAME = `IntelliJ (${process.env.HAWSER_IDE_SCREEN})`;
const COMMAND: EditorCommand = { command: [process.execPath, IN_IDE], variables: process.env };

describePlugin(NAME, COMMAND, {
  showDocument: true,
  documents: true,
  save: true,
  close: true,
  diagnostics: true,
  writeText: true,
  format: true,
  proposals: { rounds: true },
});

/** A module, without which an IDE takes the folder's files for strangers. */
const SETTINGS = {
  '.idea/modules.xml': `<project version="4"><component name="ProjectModuleManager"><modules>
    <module filepath="$PROJECT_DIR$/hall.iml"/>
  </modules></component></project>`,
  'hall.iml': `<module type="JAVA_MODULE" version="4"><component name="NewModuleRootManager">
    <content url="file://$MODULE_DIR$"><sourceFolder url="file://$MODULE_DIR$" isTestSource="false"/></content>
    <orderEntry type="sourceFolder" forTests="false"/>
  </component></module>`,
};

describeLanguageFeatures(NAME, (folder) => openLiveEditor(COMMAND, folder), {
  greet: [
    'Hall.java',
    [
      'class Hall { static String face = "😀"; static String greet(String name) {',
      '  return face + name;',
      '} }',
      '',
    ].join('\n'),
  ],
  main: ['Main.java', 'class Main { String text = /* 😀 */ Hall.greet("you"); }\n'],
  unsorted: ['Other.java', 'class Other { String text = Hall.greet("them"); }\n'],
  settings: SETTINGS,
});

it('a rename takes constructors along, and refuses what has the name of its file', async () => {
  const folder = temporaryFolder();
  const text = [
    'class Boat {',
    '  static class Mast { Mast() {} }',
    '  static class Tall extends Mast {}',
    '  void go() { new Mast(); }',
    '}',
    '',
  ].join('\n');
  const path = join(folder, 'Boat.java');
  mkdirSync(join(folder, '.idea'));
  for (const [name, settings] of Object.entries(SETTINGS)) writeFileSync(join(folder, name), settings);
  writeFileSync(path, text);
  const { editor, dispose } = await openLiveEditor(COMMAND, folder);
  try {
    await editor.openFile({ path });
    const rename = async (line: number, part: string, newName: string) => {
      const position = { line, character: text.split('\n')[line]?.indexOf(part) ?? 0 };
      const edits = (await editor.rename?.({ path, position }, newName)) ?? [];
      return edits
        .flatMap((each) => each.edits.map(({ range }) => `${range.start.line}:${range.start.character}`))
        .sort();
    };
    expect(await rename(1, 'Mast', 'Pole')).toEqual(['1:15', '1:22', '2:28', '3:18']);
    await expect(rename(0, 'Boat', 'Ship')).rejects.toThrow('rename it in the IDE');
  } finally {
    await dispose();
  }
});
