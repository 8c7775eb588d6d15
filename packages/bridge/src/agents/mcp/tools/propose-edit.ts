import { readOldText } from '../../../comparable-text.ts';
import { requireSaved } from '../places.ts';
import { OUTCOME_SCHEMA, proposeAndWrite, readForChange } from '../proposals.ts';
import { FLAG, list, object, PATH, TEXT } from '../schemas.ts';
import { type Replacement, replaceTexts } from '../text-edits.ts';
import { editorTool } from '../tool.ts';

interface Arguments {
  readonly path: string;
  readonly new_text?: string;
  readonly edits?: readonly Replacement[];
  readonly title?: string;
}

const EDIT = object(
  {
    old_text: { ...TEXT, description: 'Text to replace, copied exactly. It must be in the file once.' },
    new_text: { ...TEXT, description: 'What to write instead' },
    replace_all: { ...FLAG, description: 'Replace old_text wherever it is' },
  },
  ['old_text', 'new_text'],
);

export const proposeEdit = editorTool<Arguments>({
  definition: {
    name: 'propose_edit',
    title: 'Propose an edit',
    description: [
      'Change or create a file. The user sees the change as a diff in the editor and accepts all of it, parts of it, an',
      'edited version, or rejects it; the call waits for that, which can take minutes. What is accepted is written through',
      'the editor before the call returns: do not write the file yourself. The result says what the user changed. Give',
      'either edits or new_text.',
    ].join(' '),
    inputSchema: object(
      {
        path: PATH,
        edits: { ...list(EDIT), minItems: 1, description: 'Replacements, made one after the other' },
        new_text: { ...TEXT, description: 'The whole new text of the file' },
        title: { ...TEXT, description: 'What the change does, in a few words, for the user' },
      },
      ['path'],
    ),
    outputSchema: OUTCOME_SCHEMA,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  },
  isOffered: ({ editor, reviews }) => reviews !== undefined && editor.writeText !== undefined,
  run: async ({ path: given, new_text, edits, title }, context, request) => {
    if ((new_text === undefined) === (edits === undefined)) throw new Error('Give either edits or new_text');
    const { editor } = context;
    const path = await editor.resolve(given, { for: 'diff' });
    const change = edits === undefined ? await whole(path, new_text ?? '') : await edited(path, edits);
    if (change.oldText === change.newText) throw new Error(`${given} contains this text already; nothing to change`);
    return await proposeAndWrite([{ path, ...change }], title, context, request);

    async function whole(file: string, newText: string) {
      await requireSaved(file, editor);
      return { oldText: await readOldText(file, newText), newText };
    }
    async function edited(file: string, replacements: readonly Replacement[]) {
      const oldText = await readForChange(file, editor);
      if (oldText === undefined) throw new Error(`No such file: ${given}. To create it, give new_text`);
      return { oldText, newText: replaceTexts(oldText, replacements) };
    }
  },
});
