import { checkSyntax, type SyntaxProblem } from '../syntax/check-syntax.ts';
import type { ToolContext } from './lisp-tool.ts';
import { input, READS } from './schemas.ts';
import { visible, wellFormed } from './texts.ts';

interface Arguments {
  readonly code: string;
  readonly features?: readonly string[];
}

export function addValidateSyntax({ server }: ToolContext): void {
  server.tool<Arguments>(
    {
      name: 'validate-syntax',
      title: 'Check syntax',
      description:
        'Checks code without evaluating it: unbalanced parentheses, unclosed strings and comments, misplaced commas and dots. Knows standard syntax only. Needs no Lisp.',
      inputSchema: input(
        {
          code: { type: 'string', maxLength: 1_000_000 },
          features: {
            type: 'array',
            items: { type: 'string' },
            maxItems: 1000,
            description: 'Features for #+ and #-. Default: those of SBCL on Linux',
          },
        },
        ['code'],
      ),
      annotations: READS,
    },
    ({ code, features }) => {
      const { ok, forms, problems } = checkSyntax(code, features);
      const first = ok
        ? `The syntax is correct: ${count(forms)}.`
        : `The syntax is wrong: ${count(forms)} before the first error.`;
      return {
        content: [{ type: 'text', text: visible(wellFormed([first, ...problems.map(line)].join('\n'))) }],
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
