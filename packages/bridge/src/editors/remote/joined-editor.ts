import { ErrorCode, RpcError } from '@hawser/mcp';
import { isObject } from '@hawser/unknown-values/objects';
import { closeAll, together } from '../../close-all.ts';
import type { Editor, EditorEvent, OpenDocument, Range } from '../../editor.ts';
import { LANGUAGE_FEATURES } from '../../language-features.ts';
import { absolute } from '../absolute-path.ts';
import { Listeners } from '../listeners.ts';
import type { RemoteEditor } from './remote-editor.ts';

/** The editor of a bridge that windows of other editors join and leave. */
export interface JoinedEditor extends Editor {
  /** From now on the window that the user works in is the editor; the returned function lets it leave. */
  join(window: RemoteEditor): () => void;
}

type Feature = (...args: readonly unknown[]) => unknown;

/** Documents of a window that language servers of the bridge look at. */
const MAX_MIRRORED = 100;

/**
 * Without a window it is `base`. With windows it is the one that the user selected in last; what that window can't do
 * `base` does: diagnostics and language features from files on disk, and writing files.
 */
export function joinedEditor(base: Editor, onProblem: (problem: Error) => void): JoinedEditor {
  const listeners = new Listeners(onProblem);
  /** The one that the user works in is the last. */
  const windows: { readonly window: RemoteEditor; folders: readonly string[] }[] = [];
  const current = (): RemoteEditor | undefined => windows.at(-1)?.window;
  const mirrored = new Set<string>();

  const emit = (event: EditorEvent) => listeners.emit(event);
  let knownFolders = '';
  const workspaceFolders = async () => {
    const own = await base.workspaceFolders();
    const folders = [...new Set([...own, ...windows.flatMap((each) => each.folders)])];
    knownFolders = folders.join('\0');
    return folders;
  };
  const announceFolders = () => {
    const before = knownFolders;
    void workspaceFolders().then((folders) => {
      if (knownFolders !== before) emit({ kind: 'workspace', folders });
    }, onProblem);
  };
  const usesBase = (window: RemoteEditor) =>
    window.diagnostics === undefined || LANGUAGE_FEATURES.some((name) => window[name] === undefined);

  /** Opens in `base` what the window has open, so that language servers check it. One round at a time. */
  let mirroring = Promise.resolve();
  const mirror = () => {
    mirroring = mirroring.then(mirrorNow).catch((error: Error) => onProblem(error));
  };
  const mirrorNow = async () => {
    const window = current();
    const open = window !== undefined && usesBase(window) ? await window.openDocuments() : [];
    const wanted = new Set(
      open
        .filter((each) => !each.isUntitled)
        .map(({ path }) => path)
        .slice(-MAX_MIRRORED),
    );
    for (const path of mirrored) {
      if (wanted.has(path)) continue;
      mirrored.delete(path);
      await base.closeFile?.(path).catch(() => undefined);
    }
    for (const path of wanted) {
      if (mirrored.has(path)) continue;
      mirrored.add(path);
      // A file that was never saved, or can't be read, is not checked.
      await base.openFile({ path, inBackground: true }).catch(() => undefined);
    }
  };

  const setFeatures = () => {
    const window = current();
    for (const name of LANGUAGE_FEATURES) {
      delete editor[name];
      const own = window?.[name];
      const others = base[name] === undefined ? undefined : onBase(name);
      const feature = own === undefined ? others : others === undefined ? own : orElse(own, others);
      if (feature !== undefined) Object.assign(editor, { [name]: feature });
    }
    delete editor.format;
    const format = window === undefined ? base.format : window.format;
    if (format !== undefined) editor.format = (path) => format.call(window ?? base, path);
    if (window === undefined) Object.assign(editor, { isWindowless: true });
    else delete (editor as { isWindowless?: true }).isWindowless;
  };
  /** A feature of `base`, for a document that may be open in a window only. */
  const onBase =
    (name: (typeof LANGUAGE_FEATURES)[number]): Feature =>
    async (first, ...rest) => {
      const path = String(isObject(first) ? first.path : first);
      if (current() !== undefined && name !== 'workspaceSymbols') await base.openFile({ path, inBackground: true });
      const feature = base[name] as Feature | undefined;
      if (feature === undefined) throw new Error(`No running language server supports this: ${path}`);
      return await feature.call(base, first, ...rest);
    };

  /** A feature of the window, or that of `base` for a document that no language server of the window knows. */
  const orElse =
    (own: unknown, others: Feature): Feature =>
    async (...args) => {
      try {
        return await (own as Feature)(...args);
      } catch (error) {
        if (!isNotOffered(error)) throw error;
        return await others(...args);
      }
    };

  /** Another window is the current one, or none. */
  const changed = async () => {
    setFeatures();
    mirror();
    emit({ kind: 'features' });
    emit({ kind: 'documents' });
    const source = current() ?? base;
    const selection = await source.selection();
    if ((current() ?? base) === source) emit({ kind: 'selection', selection });
  };
  const announce = () => void changed().catch((error: Error) => onProblem(error));

  const receive = (window: RemoteEditor, event: EditorEvent) => {
    if (event.kind === 'workspace') return;
    if (event.kind === 'selection' && event.selection !== undefined && window !== current()) {
      const index = windows.findIndex((each) => each.window === window);
      windows.push(...windows.splice(index, 1));
      return announce();
    }
    const isState = event.kind === 'selection' || event.kind === 'documents' || event.kind === 'features';
    if (isState && window !== current()) return;
    if (event.kind === 'documents') mirror();
    emit(event);
  };
  const stopBase = base.subscribe((event) => {
    const window = current();
    if (event.kind === 'features') setFeatures();
    if (event.kind === 'workspace') {
      announceFolders();
      return;
    }
    if (window === undefined) return emit(event);
    if (event.kind === 'selection' || event.kind === 'documents') return;
    if (event.kind !== 'diagnostics' || window.diagnostics === undefined) emit(event);
  });

  const cannot = (what: string): never => {
    throw new Error(`${current()?.name} can't ${what}`);
  };
  const dirtyIn = async (path: string): Promise<RemoteEditor | undefined> => {
    for (const { window } of windows) {
      const open: readonly OpenDocument[] = await window.openDocuments();
      if (open.some((each) => each.path === path && each.isDirty)) return window;
    }
    return undefined;
  };

  const editor: JoinedEditor = {
    get name() {
      return current()?.name ?? base.name;
    },
    workspaceFolders,
    openFile: (location) => (current() ?? base).openFile(location),
    openDocuments: () => (current() ?? base).openDocuments(),
    selection: () => (current() ?? base).selection(),
    setSelection: async (path: string, range: Range) => {
      const source = current() ?? base;
      if (source.setSelection === undefined) return cannot(`select in ${path}`);
      await source.setSelection(path, range);
    },
    save: async (path) => {
      const source = current() ?? base;
      if (source.save === undefined) return cannot(`save ${path}`);
      await source.save(path);
    },
    closeFile: async (path) => {
      const source = current() ?? base;
      if (source.closeFile === undefined) return cannot(`close ${path}`);
      await source.closeFile(path);
    },
    writeText: async (given, text, options) => {
      const path = absolute(given);
      const owner = await dirtyIn(path);
      if (owner !== undefined) throw new Error(`${path} has unsaved text in ${owner.name}`);
      const writer = windows.findLast(({ window }) => window.writeText !== undefined)?.window ?? base;
      if (writer.writeText === undefined) return cannot(`write ${path}`);
      await writer.writeText(path, text, options);
    },
    diagnostics: async (path) => {
      const source = current()?.diagnostics === undefined ? base : (current() as RemoteEditor);
      return (await source.diagnostics?.(path)) ?? [];
    },
    ...(base.languagePrograms && { languagePrograms: base.languagePrograms.bind(base) }),
    ...(base.uncheckedLanguages && { uncheckedLanguages: base.uncheckedLanguages.bind(base) }),
    subscribe: (listener) => listeners.add(listener),
    join: (window) => {
      let hasLeft = false;
      const entry = { window, folders: [] as readonly string[] };
      const setFolders = (folders: readonly string[]) => {
        if (hasLeft) return;
        entry.folders = folders;
        announceFolders();
      };
      const stop = window.subscribe((event) => {
        if (event.kind === 'workspace') setFolders(event.folders);
        else receive(window, event);
      });
      windows.push(entry);
      void window.workspaceFolders().then(setFolders, onProblem);
      announce();
      return () => {
        if (hasLeft) return;
        hasLeft = true;
        stop();
        const wasCurrent = window === current();
        windows.splice(windows.indexOf(entry), 1);
        announceFolders();
        if (wasCurrent) announce();
      };
    },
    close: () =>
      closeAll([
        stopBase,
        () => together(windows, ({ window }) => window.close()),
        () => mirroring,
        () => base.close(),
      ]),
  };
  setFeatures();
  return editor;
}

function isNotOffered(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof RpcError && cause.code === ErrorCode.MethodNotFound;
}
