import type { SharedEditor } from '../../../access/shared-editor.ts';
import { type FileDiagnostics, lastLineOf, type Severity } from '../../../editor.ts';
import { checkRegularFile } from '../../../regular-file.ts';
import { shortPath } from '../places.ts';
import { COUNT, list, object, PATH, READS, TEXT } from '../schemas.ts';
import { editorTool, failure, result } from '../tool.ts';

/** More than this helps no model. */
const MAX_PROBLEMS = 300;
const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info', 'hint'];

export const getSelection = editorTool<object>({
  definition: {
    name: 'get_selection',
    title: 'Get the selection',
    description:
      'Get the text that the user has selected in the editor, or the line of the cursor, with its file. Lines count from 1.',
    inputSchema: object({}),
    outputSchema: object({ path: TEXT, start_line: COUNT, end_line: COUNT, text: TEXT }),
    annotations: READS,
  },
  isOffered: () => true,
  run: async (_args, { editor }) => {
    editor.requireResumed();
    const shared = await editor.selection();
    if (shared.kind === 'hidden') return failure('The user looks at a file that is not shared with agents');
    if (shared.kind === 'none') return result('No file is active in the editor', {});
    const { path, range, text } = shared.selection;
    const short = shortPath(path, editor);
    const [first, last] = [range.start.line + 1, lastLineOf(range) + 1];
    const words =
      text === '' ? `The cursor is in ${short}, line ${first}` : `${short}, lines ${first} to ${last}:\n${text}`;
    return result(words, { path: short, start_line: first, end_line: last, text });
  },
});

interface ProblemArguments {
  readonly path?: string;
  readonly severity?: Severity;
}

export const getDiagnostics = editorTool<ProblemArguments>({
  definition: {
    name: 'get_diagnostics',
    title: 'Get diagnostics',
    description:
      'Get the errors and warnings that the editor knows from its language servers and checkers, of one file or of all. Lines and columns count from 1.',
    inputSchema: object({
      path: { ...PATH, description: `${PATH.description}; all files without it` },
      severity: { enum: [...SEVERITIES], description: 'Only problems that are at least this severe' },
    }),
    outputSchema: object(
      {
        problems: list(
          object(
            {
              path: TEXT,
              line: COUNT,
              column: COUNT,
              end_line: COUNT,
              severity: TEXT,
              message: TEXT,
              source: TEXT,
              code: TEXT,
            },
            ['path', 'line', 'column', 'severity', 'message'],
          ),
        ),
        omitted: { ...COUNT, description: 'How many more there are' },
      },
      ['problems', 'omitted'],
    ),
    annotations: READS,
  },
  isOffered: ({ editor }) => editor.diagnostics !== undefined,
  run: async ({ path, severity = 'hint' }, { editor }) => {
    const files = (await editor.diagnostics?.(path)) ?? [];
    if (path !== undefined && files.every(({ diagnostics }) => diagnostics.length === 0)) {
      await requireFile(path, editor);
    }
    const most = SEVERITIES.indexOf(severity);
    const all = files
      .flatMap((file) => problemsOf(file, shortPath(file.path, editor)))
      .filter((problem) => SEVERITIES.indexOf(problem.severity) <= most)
      .toSorted((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity));
    const problems = all.slice(0, MAX_PROBLEMS);
    const omitted = all.length - problems.length;
    const lines = problems.map((each) => `${each.path}:${each.line}:${each.column}: ${each.severity}: ${each.message}`);
    if (omitted > 0) lines.push(`… and ${omitted} more`);
    return result(lines.join('\n') || 'No problems', { problems, omitted });
  },
});

/** Rejects if there is no such file: a mistyped path must not look like a file without problems. */
async function requireFile(path: string, editor: SharedEditor): Promise<void> {
  const real = await editor.resolve(path, { for: 'read' });
  const isOpen = (await editor.openDocuments()).some((document) => document.path === real);
  if (!isOpen) await checkRegularFile(real, Number.POSITIVE_INFINITY);
}

function problemsOf({ diagnostics }: FileDiagnostics, path: string) {
  return diagnostics.map(({ message, severity, range, source, code }) => ({
    path,
    line: range.start.line + 1,
    column: range.start.character + 1,
    end_line: range.end.line + 1,
    severity,
    message,
    ...(source !== undefined && { source }),
    ...(code !== undefined && { code: String(code) }),
  }));
}
