import { basename, relative } from 'node:path';
import { objectOrEmpty } from '@hawser/unknown-values/objects';
import { contains, realPath } from '../../access/paths.ts';
import type { SharedEditor } from '../../access/shared-editor.ts';
import type { Selection } from '../../editor.ts';
import type { Message } from './frames.ts';

const IDE_CONTEXT = 'ide-context';

const MAX_TABS = 100;
/** Codex cuts longer selections after 200 000 characters and says so; one more lets it notice. */
const MAX_SELECTION_CHARACTERS = 200_001;

/** Whether this request is for the editor's context in one of its folders, or in a folder below them. */
export async function isForEditor(request: Message, editor: SharedEditor): Promise<boolean> {
  const root = workspaceRootOf(request);
  if (request.method !== IDE_CONTEXT || root === undefined) return false;
  const [real, ...folders] = await Promise.all(
    [root, ...editor.folders].map((path) => realPath(path).catch(() => path)),
  );
  return folders.some((folder) => contains(folder, real ?? root));
}

/** What Codex gets with each prompt: the active file, the selection and the open files. Nothing while paused. */
export async function ideContext(request: Message, editor: SharedEditor): Promise<Message> {
  const root = workspaceRootOf(request) ?? '';
  const real = await realPath(root).catch(() => root);
  const describe = (path: string) => ({
    label: basename(path),
    path: contains(real, path) ? relative(real, path) : path,
    fsPath: path,
  });
  try {
    const [shared, documents] = await Promise.all([editor.selection(), editor.openDocuments()]);
    const tabs = documents.filter(({ isUntitled }) => !isUntitled).slice(0, MAX_TABS);
    // The user may have paused meanwhile.
    editor.requireResumed();
    return {
      ...(shared.kind === 'selection' && { activeFile: activeFile(shared.selection, describe) }),
      openTabs: tabs.map(({ path }) => describe(path)),
    };
  } catch (error) {
    if (isPaused(editor)) return { openTabs: [] };
    throw error;
  }
}

function activeFile({ path, range, text }: Selection, describe: (path: string) => Message): Message {
  return { ...describe(path), selection: range, activeSelectionContent: shortened(text), selections: [] };
}

function shortened(text: string): string {
  if (text.length <= MAX_SELECTION_CHARACTERS) return text;
  // A character has at most two code units.
  const start = [...text.slice(0, 2 * MAX_SELECTION_CHARACTERS)];
  return start.slice(0, MAX_SELECTION_CHARACTERS).join('');
}

function isPaused(editor: SharedEditor): boolean {
  try {
    editor.requireResumed();
    return false;
  } catch {
    return true;
  }
}

/** Undefined unless it is an absolute path. */
function workspaceRootOf({ params }: Message): string | undefined {
  const { workspaceRoot } = objectOrEmpty(params);
  return typeof workspaceRoot === 'string' && workspaceRoot.startsWith('/') && !workspaceRoot.includes('\0')
    ? workspaceRoot
    : undefined;
}
