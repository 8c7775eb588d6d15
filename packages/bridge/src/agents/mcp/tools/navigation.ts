import type { SharedEditor } from '../../../access/shared-editor.ts';
import type { Found } from '../../../access/shared-language.ts';
import type { Location } from '../../../language-features.ts';
import { LineReader, placeOf, shortPath } from '../places.ts';
import { COUNT, LOCATION, list, object, PLACE, type PlaceArguments, READS, TEXT } from '../schemas.ts';
import { editorTool, result } from '../tool.ts';

/** More than this helps no model. */
const MAX_LOCATIONS = 300;

const LOCATIONS = object(
  {
    locations: list(LOCATION),
    omitted: { ...COUNT, description: 'How many more there are' },
    hidden: { ...COUNT, description: 'How many are in files that agents may not see' },
  },
  ['locations', 'omitted', 'hidden'],
);

export const findDefinition = locationsTool('definition', {
  name: 'find_definition',
  title: 'Find the definition',
  description:
    'Find where a name is defined, with the language server of the editor. Name the place by symbol and line, or by line and column, from 1.',
});

export const findReferences = locationsTool('references', {
  name: 'find_references',
  title: 'Find references',
  description:
    'Find every use of a name, its declaration included, with the language server of the editor: exact where a search for text is not. Name the place by symbol and line, or by line and column, from 1.',
});

function locationsTool(
  feature: 'definition' | 'references',
  words: { readonly name: string; readonly title: string; readonly description: string },
) {
  return editorTool<PlaceArguments>({
    definition: { ...words, inputSchema: object(PLACE, ['path']), outputSchema: LOCATIONS, annotations: READS },
    isOffered: ({ editor }) => editor.language[feature] !== undefined,
    run: async (args, { editor }, { signal }) => {
      const found = await editor.language[feature]?.(await placeOf(args, editor), { signal });
      return await locationsResult(found, editor, `No ${feature} found`);
    },
  });
}

export const hover = editorTool<PlaceArguments>({
  definition: {
    name: 'hover',
    title: 'Show type and documentation',
    description:
      'Get the type and documentation of a name, as the editor shows them. Name the place by symbol and line, or by line and column, from 1.',
    inputSchema: object(PLACE, ['path']),
    outputSchema: object({ text: { ...TEXT, description: 'Markdown; absent where there is nothing to say' } }),
    annotations: READS,
  },
  isOffered: ({ editor }) => editor.language.hover !== undefined,
  run: async (args, { editor }, { signal }) => {
    const found = await editor.language.hover?.(await placeOf(args, editor), { signal });
    return result(found?.text ?? 'The language server has nothing to say about this place', {
      ...(found !== undefined && { text: found.text }),
    });
  },
});

async function locationsResult(found: Found<Location> | undefined, editor: SharedEditor, none: string) {
  const { found: all, hidden } = found ?? { found: [], hidden: 0 };
  const reader = new LineReader();
  const locations = await Promise.all(
    all.slice(0, MAX_LOCATIONS).map(async ({ path, range: { start } }) => ({
      path: shortPath(path, editor),
      line: start.line + 1,
      column: start.character + 1,
      text: await reader.line(path, start.line),
    })),
  );
  const omitted = all.length - locations.length;
  const lines = locations.map(({ path, line, column, text }) => `${path}:${line}:${column}: ${text}`);
  if (lines.length === 0 && hidden === 0) lines.push(none);
  return result([...lines, ...notes(omitted, hidden)].join('\n'), { locations, omitted, hidden });
}

/** What a list leaves out, in words. */
export function notes(omitted: number, hidden: number): string[] {
  return [
    ...(omitted > 0 ? [`… and ${omitted} more`] : []),
    ...(hidden > 0 ? [`${hidden} in files that are outside the workspace or not shared with agents`] : []),
  ];
}
