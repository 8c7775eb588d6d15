import type { Server } from '@hawser/mcp';
import type { Position, Range } from '../../../editor.ts';
import { readRegularFile } from '../../../regular-file.ts';
import { json, texts } from '../../adapter-parts/tool-texts.ts';
import type { ClaudeToolContext } from '../tool-context.ts';

interface Arguments {
  readonly filePath: string;
  readonly startText?: string;
  readonly endText?: string;
  readonly selectToEndOfLine?: boolean;
  readonly makeFrontmost?: boolean;
}

export function addOpenFile(server: Server, { editor }: ClaudeToolContext): void {
  server.tool<Arguments>(
    {
      name: 'openFile',
      description: 'Open a file in the editor and optionally select a range of text',
      inputSchema: {
        type: 'object',
        properties: {
          filePath: { type: 'string', description: 'Path of the file to open' },
          preview: { type: 'boolean', description: 'Open it as a preview', default: false },
          startText: { type: 'string', description: 'Text at which the selection begins' },
          endText: { type: 'string', description: 'Text at which the selection ends' },
          selectToEndOfLine: { type: 'boolean', description: 'Extend the selection to the end of its line' },
          makeFrontmost: { type: 'boolean', description: 'Bring the file to the front', default: true },
        },
        required: ['filePath'],
      },
    },
    async ({ filePath, startText, endText, selectToEndOfLine = false, makeFrontmost = true }) => {
      const path = await editor.resolve(filePath, { for: 'open' });
      const range = startText === undefined ? undefined : await find(path, startText, endText, selectToEndOfLine);
      const document = await editor.openFile({
        path,
        inBackground: !makeFrontmost,
        ...(range !== undefined && { range }),
      });
      if (makeFrontmost) return texts(`Opened file: ${path}`);
      const { languageId, lineCount } = document;
      return json({ success: true, filePath: path, languageId, lineCount });
    },
  );
}

async function find(
  path: string,
  startText: string,
  endText: string | undefined,
  toEndOfLine: boolean,
): Promise<Range | undefined> {
  const text = (await readRegularFile(path)).toString('utf8').replace(/^\ufeff/, '');
  const start = text.indexOf(startText);
  if (start === -1) return undefined;
  const endStart = endText === undefined ? start : text.indexOf(endText, start);
  let end = endStart === -1 ? start + startText.length : endStart + (endText ?? startText).length;
  if (toEndOfLine) {
    const lineEnd = text.slice(end).search(/\r?\n/);
    end = lineEnd === -1 ? text.length : end + lineEnd;
  }
  return { start: positionAt(text, start), end: positionAt(text, end) };
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const line = before.split('\n').length - 1;
  return { line, character: offset - (before.lastIndexOf('\n') + 1) };
}
