import type { Server } from '@hawser/mcp';
import type { Position, Range } from '../../../editor.ts';
import type { ToolContext } from '../../adapter-parts/tool-context.ts';
import { json, texts } from '../../adapter-parts/tool-texts.ts';
import { positionSchema, rangeSchema } from '../wire.ts';

const filePath = { type: 'string', description: 'Path of the file; the active one without it' };

/** `get_cursor_position`, `set_cursor_position`, `get_selection`, `set_selection`. */
export function addCursor(server: Server, { editor }: ToolContext): void {
  const nothing = { type: 'object', properties: {} };
  const annotations = { readOnlyHint: true };
  const visible = async () => {
    const shared = await editor.selection();
    if (shared.kind === 'none') throw new Error('No active editor found');
    if (shared.kind === 'hidden') throw new Error('The active file is not shared');
    return shared.selection;
  };

  server.tool(
    { name: 'get_cursor_position', description: 'Get where the cursor is', inputSchema: nothing, annotations },
    async () => {
      const { path, range } = await visible();
      return json({ file_path: path, ...range.end });
    },
  );
  server.tool(
    { name: 'get_selection', description: 'Get the selected text and its range', inputSchema: nothing, annotations },
    async () => {
      const { path, range, text } = await visible();
      return json({ file_path: path, range, text });
    },
  );
  const { setSelection } = editor;
  if (setSelection === undefined) return;
  const select = async (given: string | undefined, range: Range) => {
    if (given === undefined) await setSelection((await visible()).path, range);
    else await editor.openFile({ path: given, range });
  };
  server.tool<{ file_path?: string } & Position>(
    {
      name: 'set_cursor_position',
      description: 'Put the cursor somewhere; lines and characters count from 0',
      inputSchema: {
        type: 'object',
        properties: { file_path: filePath, ...positionSchema.properties },
        required: ['line', 'character'],
      },
    },
    async ({ file_path, line, character }) => {
      const at = { line, character };
      await select(file_path, { start: at, end: at });
      return texts(`Cursor is at ${line}:${character}`);
    },
  );
  server.tool<{ file_path?: string; range: Range }>(
    {
      name: 'set_selection',
      description: 'Select a range; lines and characters count from 0',
      inputSchema: { type: 'object', properties: { file_path: filePath, range: rangeSchema }, required: ['range'] },
    },
    async ({ file_path, range }) => {
      await select(file_path, range);
      return texts('Selection is set');
    },
  );
}
