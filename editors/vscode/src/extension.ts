import { join } from 'node:path';
import * as vscode from 'vscode';
import { leftToVendors, SERVED } from './agents.ts';
import { HawserWindow } from './hawser-window.ts';
import { bridgeOptions, type HawserCommand, hawserCommand, joinBridge } from './join.ts';
import { Terminals } from './terminals.ts';

let opened: HawserWindow | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const settings = () => vscode.workspace.getConfiguration('hawser');
  const folders = () =>
    (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
  const hawser = (): HawserCommand => {
    const bundle = context.asAbsolutePath(join('bridge', 'dist', 'main.cjs'));
    return hawserCommand(settings().get('command', ''), bundle);
  };
  const chosen = () => settings().get<readonly string[] | null>('agents', null);
  const isInstalled = (id: string) => vscode.extensions.getExtension(id) !== undefined;
  const left = () => leftToVendors(isInstalled, chosen());
  const dial = () => {
    const [folder] = folders();
    if (folder === undefined) throw new Error('Open a folder first: Hawser serves folders.');
    const options = bridgeOptions(
      chosen(),
      SERVED,
      left().map(({ name }) => name),
    );
    const deny = settings().get<readonly string[]>('deny', []);
    const noticing = settings().get('noticing', true) ? [] : ['--noticing', 'off'];
    return joinBridge(hawser(), folder, [...options, ...noticing, ...deny.flatMap((glob) => ['--deny', glob])]);
  };
  const window = new HawserWindow({
    storage: (context.storageUri ?? context.globalStorageUri).fsPath,
    folders,
    dial,
    left: () => left().map(({ title }) => title),
    reviewInTerminal: () => terminals.review(),
  });
  const terminals = new Terminals(
    hawser,
    () => folders()[0],
    () => window.connect(),
  );
  opened = window;
  context.subscriptions.push(
    window,
    terminals,
    vscode.commands.registerCommand('hawser.menu', showMenu),
    vscode.workspace.onDidChangeWorkspaceFolders(() => void window.connect()),
  );
  if (folders().length > 0 && settings().get('autoStart', true)) void window.connect();
}

export function deactivate(): void {
  opened?.dispose();
}

const MENU = [
  ['Show what waits', 'hawser.show'],
  ['Review in browser', 'hawser.reviewInBrowser'],
  ['Start an agent', 'hawser.startAgent'],
  ['Connect', 'hawser.connect'],
  ['Pause all agents', 'hawser.pause'],
  ['Resume', 'hawser.resume'],
  ['Why is my agent not connected?', 'hawser.doctor'],
  ['Settings', 'workbench.action.openSettings'],
] as const;

async function showMenu(): Promise<void> {
  const items = MENU.map(([label, command]) => ({ label, command }));
  const choice = await vscode.window.showQuickPick(items, { placeHolder: 'Hawser' });
  if (choice !== undefined)
    await vscode.commands.executeCommand(choice.command, ...(choice.command.startsWith('workbench') ? ['hawser'] : []));
}
