import { linesRange, shortPath } from '../places.ts';
import { OUTCOME_SCHEMA, proposeAndWrite, readForChange } from '../proposals.ts';
import { FLAG, LINE, list, object, PATH, READS, TEXT } from '../schemas.ts';
import { editorTool, result } from '../tool.ts';

interface OpenArguments {
  readonly path: string;
  readonly line?: number;
  readonly end_line?: number;
  readonly background?: boolean;
}

const DOCUMENT = object({ path: TEXT, language: TEXT, is_active: FLAG, has_unsaved_changes: FLAG }, [
  'path',
  'language',
  'is_active',
  'has_unsaved_changes',
]);

export const openFile = editorTool<OpenArguments>({
  definition: {
    name: 'open_file',
    title: 'Open a file',
    description:
      'Show a file to the user in the editor, with lines selected if they are given. It does not return the text.',
    inputSchema: object(
      {
        path: PATH,
        line: { ...LINE, description: 'First line to select; the first line is 1' },
        end_line: { ...LINE, description: 'Last line to select' },
        background: { ...FLAG, description: 'Open it without showing it' },
      },
      ['path'],
    ),
    outputSchema: DOCUMENT,
    // It changes what the user sees, no file.
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  isOffered: () => true,
  run: async ({ path, line, end_line, background = false }, { editor }) => {
    const range = line === undefined ? undefined : linesRange(line, end_line);
    const opened = await editor.openFile({ path, inBackground: background, ...(range && { range }) });
    const short = shortPath(opened.path, editor);
    return result(`Opened ${short}`, described(opened, short));
  },
});

export const listOpenFiles = editorTool<object>({
  definition: {
    name: 'list_open_files',
    title: 'List open files',
    description: 'List the files that are open in the editor, which one the user looks at, and which are not saved.',
    inputSchema: object({}),
    outputSchema: object({ files: list(DOCUMENT) }, ['files']),
    annotations: READS,
  },
  isOffered: () => true,
  run: async (_args, { editor }) => {
    const files = (await editor.openDocuments()).map((each) => described(each, shortPath(each.path, editor)));
    const lines = files.map(
      ({ path, is_active, has_unsaved_changes }) =>
        `${path}${is_active ? ' (active)' : ''}${has_unsaved_changes ? ' (unsaved changes)' : ''}`,
    );
    return result(lines.join('\n') || 'No files are open', { files });
  },
});

export const saveFile = editorTool<{ readonly path: string }>({
  definition: {
    name: 'save_file',
    title: 'Save a file',
    description: [
      "Save the user's unsaved changes of an open file. An editor that formats at each save does so here, too.",
      'Fails if the file has changed on disk since.',
    ].join(' '),
    inputSchema: object({ path: PATH }, ['path']),
    outputSchema: object({ path: TEXT }, ['path']),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  isOffered: ({ editor }) => editor.save !== undefined,
  run: async ({ path: given }, { editor }) => {
    const path = await editor.resolve(given, { for: 'diff' });
    await editor.save?.(path);
    const short = shortPath(path, editor);
    return result(`Saved ${short}`, { path: short });
  },
});

export const formatFile = editorTool<{ readonly path: string }>({
  definition: {
    name: 'format_file',
    title: 'Format a file',
    description: [
      "Propose what the editor's formatter makes of a file. The user reviews the change; what they accept is written.",
      'Fails if the file has unsaved changes.',
    ].join(' '),
    inputSchema: object({ path: PATH }, ['path']),
    outputSchema: OUTCOME_SCHEMA,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  isOffered: ({ editor, reviews }) => editor.format !== undefined && reviews !== undefined,
  run: async ({ path: given }, context, request) => {
    const { editor } = context;
    const path = await editor.resolve(given, { for: 'diff' });
    const oldText = await readForChange(path, editor);
    await editor.openFile({ path, inBackground: true });
    const newText = (await editor.format?.(path))?.replaceAll('\r\n', '\n');
    const short = shortPath(path, editor);
    if (newText === undefined || newText === oldText) return result(`${short} is formatted already`, { files: [] });
    return await proposeAndWrite([{ path, oldText, newText }], `Format ${short}`, context, request);
  },
});

function described(document: { languageId: string; isActive: boolean; isDirty: boolean }, path: string) {
  const { languageId, isActive, isDirty } = document;
  return { path, language: languageId, is_active: isActive, has_unsaved_changes: isDirty };
}
