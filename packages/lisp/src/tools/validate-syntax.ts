import type { Server } from '@hawser/mcp';
import { checkSyntax, type SyntaxProblem } from '../syntax/check-syntax.ts';
import { input, READS } from './schemas.ts';
import { visible, wellFormed } from './texts.ts';

interface Arguments {
  readonly code: string;
  readonly features?: readonly string[];
}

export function addValidateSyntax(server: Server): void {
  server.tool<Arguments>(
    {
      name: 'validate-syntax',
      title: 'Check syntax',
      description:
        "Checks Common Lisp code for what the reader would refuse: unbalanced parentheses, unclosed strings and comments, misplaced commas and dots, unknown # syntax. Nothing is evaluated, and no Lisp is needed. Packages, structures and reader macros of one's own are not known to it.",
      inputSchema: input(
        {
          code: { type: 'string', description: 'The code', maxLength: 1_000_000 },
          features: {
            type: 'array',
            items: { type: 'string' },
            maxItems: 1000,
            description: 'What #+ and #- are decided by. Default: the features of SBCL on Linux',
          },
        },
        ['code'],
      ),
      outputSchema: {
        type: 'object',
        properties: {
          ok: { type: 'boolean' },
          forms: { type: 'integer', description: 'Complete top-level forms before the first error' },
          problems: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                severity: { type: 'string', enum: ['error', 'warning'] },
                line: { type: 'integer', description: 'From 1' },
                column: { type: 'integer', description: 'From 0' },
                message: { type: 'string' },
              },
              required: ['severity', 'line', 'column', 'message'],
            },
          },
        },
        required: ['ok', 'forms', 'problems'],
      },
      annotations: READS,
    },
    ({ code, features }) => {
      const { ok, forms, problems } = checkSyntax(code, features);
      const first = ok
        ? `The syntax is sound: ${count(forms)}.`
        : `The syntax is not sound; ${count(forms)} before the first error.`;
      return {
        content: [{ type: 'text', text: visible([first, ...problems.map(line)].join('\n')) }],
        structuredContent: {
          ok,
          forms,
          problems: problems.map((problem) => ({ ...problem, message: wellFormed(problem.message) })),
        },
      };
    },
  );
}

function count(forms: number): string {
  return forms === 1 ? '1 form' : `${forms} forms`;
}

function line({ severity, line, column, message }: SyntaxProblem): string {
  return `${severity === 'error' ? '[ERROR]' : '[WARNING]'} line ${line}, column ${column}: ${message}`;
}
