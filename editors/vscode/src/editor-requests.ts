import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as vscode from 'vscode';
import { allTabs, rangeFrom, realPath, tabsAt, textDocumentAt } from './document-state.ts';
import type { FileStamps } from './file-stamps.ts';
import { applyEdits } from './text-edits.ts';
import type { WireHandlers } from './wire.ts';

type EditorRequest = 'window/showDocument' | 'editor/save' | 'editor/close' | 'editor/format';

/** What agents ask the editor for. `changed` is called before each answer. */
export function editorRequests(changed: () => void, files: FileStamps): Required<Pick<WireHandlers, EditorRequest>> {
  return {
    'window/showDocument': async ({ uri, takeFocus, selection }) => {
      const target = vscode.Uri.file(fileURLToPath(uri));
      const range = selection && rangeFrom(selection);
      const open = tabsAt(realPath(target))[0]?.input;
      const shown = open instanceof vscode.TabInputText ? open.uri : target;
      const document = await vscode.workspace.openTextDocument(shown);
      const options = { preview: false, ...(range && { selection: document.validateRange(range) }) };
      if (takeFocus) await vscode.window.showTextDocument(document, options);
      // Behind the tab that the user works in. The option has no type.
      else await vscode.commands.executeCommand('vscode.open', shown, { ...options, background: true });
      await until(() => tabsAt(realPath(target)).length > 0);
      changed();
      return { success: true };
    },
    'editor/save': async ({ uri }) => {
      const path = fileURLToPath(uri);
      const document = openAt(path);
      if (isReadOnly(path)) throw new Error(`${path} is read-only`);
      if (!files.isCurrent(document)) throw new Error(`${path} has changed on disk`);
      if (!(await document.save()) || document.isDirty) {
        throw new Error(`${path} was not saved: ${vscode.env.appName} asks the user`);
      }
      changed();
      return undefined;
    },
    'editor/close': async ({ uri }) => {
      const path = fileURLToPath(uri);
      if (openAt(path).isDirty) throw new Error(`${path} has unsaved text`);
      await vscode.window.tabGroups.close(tabsAt(path), true);
      await until(() => tabsAt(path).length === 0);
      changed();
      return undefined;
    },
    'editor/format': async ({ uri }) => {
      const path = fileURLToPath(uri);
      const document = openAt(path);
      const config = vscode.workspace.getConfiguration('editor', document);
      const style = { tabSize: config.get('tabSize', 4), insertSpaces: config.get('insertSpaces', true) };
      const edits = await vscode.commands.executeCommand<vscode.TextEdit[] | undefined>(
        'vscode.executeFormatDocumentProvider',
        document.uri,
        style,
      );
      if (edits === undefined) throw new Error(`No extension formats ${path}`);
      const offsets = edits.map(({ range, newText }) => ({
        start: document.offsetAt(range.start),
        end: document.offsetAt(range.end),
        text: newText,
      }));
      return { text: applyEdits(document.getText(), offsets) };
    },
  };
}

function openAt(path: string): vscode.TextDocument {
  const document = tabsAt(path).length > 0 ? textDocumentAt(path) : undefined;
  if (document === undefined) throw new Error(`Not open: ${path}`);
  return document;
}

/** For root, the file system would let it pass. */
function isReadOnly(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0o222) & 0o222) === 0;
}

const TABS_MS = 5000;

/** Tabs open and close after the call that asked for it. */
async function until(holds: () => boolean): Promise<void> {
  if (holds()) return;
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => {
      stop.dispose();
      reject(new Error(`${vscode.env.appName} did not do it in time (${allTabs().length} tabs are open)`));
    }, TABS_MS);
    const stop = vscode.window.tabGroups.onDidChangeTabs(() => {
      if (!holds()) return;
      clearTimeout(late);
      stop.dispose();
      resolve();
    });
  });
}
