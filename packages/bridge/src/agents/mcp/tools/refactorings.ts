import type { SharedEditor } from '../../../access/shared-editor.ts';
import { textOnDisk } from '../../../comparable-text.ts';
import type { FileEdits } from '../../../language-features.ts';
import { linesRange, placeOf, requireSaved } from '../places.ts';
import { OUTCOME_SCHEMA, proposeAndWrite, type WantedChange } from '../proposals.ts';
import { FLAG, LINE, list, object, PATH, PLACE, type PlaceArguments, TEXT } from '../schemas.ts';
import { applyEdits } from '../text-edits.ts';
import { editorTool, result } from '../tool.ts';
import { notes } from './navigation.ts';

const WRITES = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false };

export const renameSymbol = editorTool<PlaceArguments & { readonly new_name: string }>({
  definition: {
    name: 'rename_symbol',
    title: 'Rename a symbol',
    description: [
      'Rename a name wherever it is used, with the language server of the editor. The user reviews the changes of all files',
      'and can accept, change or reject each; the call waits for that, which can take minutes. What is accepted is written',
      'before the call returns, and the result names what was not. Name the place by symbol and line, or by line and',
      'column, from 1.',
    ].join(' '),
    inputSchema: object({ ...PLACE, new_name: { ...TEXT, minLength: 1 } }, ['path', 'new_name']),
    outputSchema: OUTCOME_SCHEMA,
    annotations: WRITES,
  },
  isOffered: ({ editor, reviews }) =>
    reviews !== undefined && editor.writeText !== undefined && editor.language.rename !== undefined,
  run: async ({ new_name: newName, ...args }, context, request) => {
    const { editor } = context;
    const place = await placeOf(args, editor);
    const edits = (await editor.language.rename?.(place, newName, { signal: request.signal })) ?? [];
    const title = `Rename ${place.name ?? 'a symbol'} to ${newName}`;
    return await proposeAndWrite(await changesOf(edits, editor), title, context, request);
  },
});

interface ActionArguments {
  readonly path: string;
  readonly line: number;
  readonly end_line?: number;
  readonly kind?: string;
  readonly apply?: string;
}

export const codeActions = editorTool<ActionArguments>({
  definition: {
    name: 'code_actions',
    title: 'List or apply code actions',
    description: [
      'List what the language server offers for some lines: quick fixes, refactorings, imports. With apply, the title of',
      'one of them, its changes are shown to the user, who accepts or rejects them; what is accepted is written before',
      'the call returns.',
    ].join(' '),
    inputSchema: object(
      {
        path: PATH,
        line: { ...LINE, description: 'First of the lines; the first line is 1' },
        end_line: { ...LINE, description: 'Last of the lines' },
        kind: {
          ...TEXT,
          description: 'Only actions of this kind, for example quickfix, refactor or source.organizeImports',
        },
        apply: { ...TEXT, description: 'Title of the action to propose to the user, exactly as it was listed' },
      },
      ['path', 'line'],
    ),
    outputSchema: {
      type: 'object',
      properties: {
        actions: list(object({ title: TEXT, kind: TEXT, is_preferred: FLAG }, ['title', 'is_preferred'])),
        ...(OUTCOME_SCHEMA.properties as object),
      },
    },
    annotations: WRITES,
  },
  isOffered: ({ editor, reviews }) =>
    reviews !== undefined && editor.writeText !== undefined && editor.language.codeActions !== undefined,
  run: async ({ path: given, line, end_line, kind, apply }, context, request) => {
    const { editor } = context;
    const path = await editor.resolve(given, { for: 'read' });
    const options = { signal: request.signal, ...(kind !== undefined && { kinds: [kind] }) };
    const range = linesRange(line, end_line);
    const { found, hidden } = (await editor.language.codeActions?.(path, range, options)) ?? { found: [], hidden: 0 };
    if (apply === undefined) {
      const lines = found.map((each) => `${each.title}${each.kind === undefined ? '' : ` (${each.kind})`}`);
      const actions = found.map((each) => ({
        title: each.title,
        is_preferred: each.isPreferred,
        ...(each.kind !== undefined && { kind: each.kind }),
      }));
      if (lines.length === 0 && hidden === 0) lines.push('No code actions for these lines');
      return result([...lines, ...notes(0, hidden)].join('\n'), { actions });
    }
    const action = found.find(({ title }) => title === apply);
    if (action === undefined) {
      const titles = found.map(({ title }) => title).join('; ') || 'none';
      throw new Error(`There is no action ${apply} for these lines. Choose from: ${titles}`);
    }
    return await proposeAndWrite(await changesOf(action.edits, editor), action.title, context, request);
  },
});

/** The changes that the edits make, file by file. */
async function changesOf(all: readonly FileEdits[], editor: SharedEditor): Promise<readonly WantedChange[]> {
  const byPath = new Map<string, FileEdits['edits'][number][]>();
  for (const { path, edits } of all) byPath.set(path, [...(byPath.get(path) ?? []), ...edits]);
  const changes = await Promise.all(
    [...byPath].map(async ([given, edits]) => {
      const path = await editor.resolve(given, { for: 'diff' });
      await requireSaved(path, editor);
      const text = (await textOnDisk(path)) ?? '';
      const [oldText, newText] = [text, applyEdits(text, edits)].map((each) => each.replaceAll('\r\n', '\n'));
      return { path, oldText, newText: newText ?? '' };
    }),
  );
  const real = changes.filter(({ oldText, newText }) => oldText !== newText);
  if (real.length === 0) throw new Error('The language server returned no changes');
  return real;
}
