import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../editors/vscode', import.meta.url));
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const source = readdirSync(join(folder, 'src'))
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(folder, 'src', name), 'utf8'))
  .join('\n');

/** Places for commands that need no proposed API, of those that VS Code 1.101 has. */
const STABLE_MENUS = [
  'commandPalette',
  'comments/comment/context',
  'comments/comment/title',
  'comments/commentThread/context',
  'comments/commentThread/title',
  'editor/context',
  'editor/title',
  'editor/title/context',
  'explorer/context',
  'view/item/context',
  'view/title',
];
const STABLE_CONTRIBUTIONS = [
  'commands',
  'configuration',
  'configurationDefaults',
  'keybindings',
  'menus',
  'terminal',
  'views',
  'viewsContainers',
  'viewsWelcome',
  'walkthroughs',
];
/** Commands of VS Code itself. All but those of the workbench are documented. */
const COMMANDS = [
  'setContext',
  'vscode.changes',
  'vscode.diff',
  'vscode.executeCodeActionProvider',
  'vscode.executeDefinitionProvider',
  'vscode.executeDocumentRenameProvider',
  'vscode.executeDocumentSymbolProvider',
  'vscode.executeFormatDocumentProvider',
  'vscode.executeHoverProvider',
  'vscode.executeReferenceProvider',
  'vscode.executeWorkspaceSymbolProvider',
  'vscode.open',
  'workbench.action.files.setActiveEditorWriteableInSession',
  'workbench.action.openSettings',
];

describe('the VS Code extension', () => {
  it('uses no proposed API: code-server would allow it, and VS Code would not', () => {
    expect(manifest.enabledApiProposals).toBeUndefined();
    expect(STABLE_CONTRIBUTIONS).toEqual(expect.arrayContaining(Object.keys(manifest.contributes)));
    expect(STABLE_MENUS).toEqual(expect.arrayContaining(Object.keys(manifest.contributes.menus)));
  });

  it('is compiled against the oldest version that it says it runs in', () => {
    const { devDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect(manifest.engines.vscode).toBe(`^${devDependencies['@types/vscode']}`);
  });

  it('runs only commands of VS Code that are known here', () => {
    const used = source.match(/(?<=')(?:vscode|workbench)\.[\w.]+(?=')|(?<=executeCommand\(\s*')[\w.]+(?=')/g) ?? [];
    const foreign = [...new Set(used)].filter((name) => !name.startsWith('hawser.'));
    expect(COMMANDS).toEqual(expect.arrayContaining(foreign));
  });

  it('registers every command of its manifest, and names no other in menus and keys', () => {
    const declared: string[] = manifest.contributes.commands.map(({ command }: { command: string }) => command);
    const missing = declared.filter((name) => !source.includes(`'${name}'`) && !name.startsWith('hawser.start.'));
    expect(missing).toEqual([]);
    const entries = [...Object.values(manifest.contributes.menus).flat(), ...manifest.contributes.keybindings];
    for (const { command } of entries as { command: string }[]) expect(declared).toContain(command);
  });

  it('stays where the files are, and off in folders that are not trusted', () => {
    expect(manifest.extensionKind).toEqual(['workspace']);
    expect(manifest.capabilities.untrustedWorkspaces.supported).toBe(false);
    expect(manifest.activationEvents).toEqual(['onStartupFinished']);
  });
});
