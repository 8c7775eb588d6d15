import type { Editor, Range } from '../editor.ts';
import type {
  CodeAction,
  CodeActionOptions,
  DocumentSymbol,
  FileEdits,
  Hover,
  Location,
  TextPosition,
  WaitOptions,
  WorkspaceSymbol,
} from '../language-features.ts';
import type { Access } from './access.ts';
import { PathRefused } from './paths.ts';

/** What agents may see of a result. */
export interface Found<Item> {
  readonly found: readonly Item[];
  /** How many others are in files that agents may not see. */
  readonly hidden: number;
}

/**
 * The language features of an editor as agents see them. Paths may be written as agents write them, and documents need not
 * be open. A member is undefined while the editor can't do it.
 */
export interface SharedLanguage {
  readonly definition: ((at: TextPosition, options?: WaitOptions) => Promise<Found<Location>>) | undefined;
  readonly references: ((at: TextPosition, options?: WaitOptions) => Promise<Found<Location>>) | undefined;
  readonly hover: ((at: TextPosition, options?: WaitOptions) => Promise<Hover | undefined>) | undefined;
  readonly documentSymbols: ((path: string, options?: WaitOptions) => Promise<readonly DocumentSymbol[]>) | undefined;
  readonly workspaceSymbols: ((query: string, options?: WaitOptions) => Promise<Found<WorkspaceSymbol>>) | undefined;
  /** Rejects if it would change a file that agents may not see: half a rename breaks the program. */
  readonly rename:
    | ((at: TextPosition, newName: string, options?: WaitOptions) => Promise<readonly FileEdits[]>)
    | undefined;
  /** Actions that would change a file that agents may not see are hidden. */
  readonly codeActions:
    | ((path: string, range: Range, options?: CodeActionOptions) => Promise<Found<CodeAction>>)
    | undefined;
}

export function shareLanguage(editor: Editor, access: Access): SharedLanguage {
  const open = async (path: string): Promise<string> => {
    const real = await access.resolve(path, { for: 'read' });
    await editor.openFile({ path: real, inBackground: true });
    return real;
  };
  const opened = async (at: TextPosition): Promise<TextPosition> => ({ ...at, path: await open(at.path) });
  const visible = async <Item>(items: readonly Item[], pathsOf: (item: Item) => readonly string[]) => {
    const isVisible = await Promise.all(
      items.map(async (item) => {
        const answers = await Promise.all(pathsOf(item).map((path) => access.visibility(path)));
        return answers.every((answer) => answer === 'visible');
      }),
    );
    access.requireResumed();
    const found = items.filter((_, index) => isVisible[index]);
    return { found, hidden: items.length - found.length };
  };
  const locations = (items: readonly Location[]) => visible(items, ({ path }) => [path]);
  return {
    get definition(): SharedLanguage['definition'] {
      const { definition } = editor;
      return definition && (async (at, options) => locations(await definition.call(editor, await opened(at), options)));
    },
    get references(): SharedLanguage['references'] {
      const { references } = editor;
      return references && (async (at, options) => locations(await references.call(editor, await opened(at), options)));
    },
    get hover(): SharedLanguage['hover'] {
      const { hover } = editor;
      return hover && (async (at, options) => hover.call(editor, await opened(at), options));
    },
    get documentSymbols(): SharedLanguage['documentSymbols'] {
      const { documentSymbols } = editor;
      return documentSymbols && (async (path, options) => documentSymbols.call(editor, await open(path), options));
    },
    get workspaceSymbols(): SharedLanguage['workspaceSymbols'] {
      const { workspaceSymbols } = editor;
      return (
        workspaceSymbols &&
        (async (query, options) => {
          access.requireResumed();
          return visible(await workspaceSymbols.call(editor, query, options), ({ location }) => [location.path]);
        })
      );
    },
    get rename(): SharedLanguage['rename'] {
      const { rename } = editor;
      return (
        rename &&
        (async (at, newName, options) => {
          const edits = await rename.call(editor, await opened(at), newName, options);
          const { found, hidden } = await visible(edits, ({ path }) => [path]);
          if (hidden === 0) return found;
          throw new PathRefused('outside', `The rename would change ${hidden} files outside the workspace or denied`);
        })
      );
    },
    get codeActions(): SharedLanguage['codeActions'] {
      const { codeActions } = editor;
      return (
        codeActions &&
        (async (path, range, options) =>
          visible(await codeActions.call(editor, await open(path), range, options), ({ edits }) =>
            edits.map((each) => each.path),
          ))
      );
    },
  };
}
