import { checkDelimiters } from '../delimiters.ts';
import type { Tool } from './lisp-tool.ts';
import { input, READS } from './schemas.ts';
import { visible } from './texts.ts';

interface Arguments {
  readonly code: string;
}

export const validateSyntax: Tool = {
  name: 'validate-syntax',
  add: ({ server }) =>
    server.tool<Arguments>(
      {
        name: 'validate-syntax',
        title: 'Check delimiters',
        description:
          'Finds unbalanced parentheses and unclosed strings, symbols and comments, and says where a ) is probably missing. Runs nothing and needs no Lisp.',
        inputSchema: input({ code: { type: 'string', maxLength: 1_000_000 } }, ['code']),
        annotations: READS,
      },
      ({ code }) => {
        const problems = checkDelimiters(code);
        const lines = problems.map(({ line, column, message }) => `[ERROR] line ${line}, column ${column}: ${message}`);
        const text = lines.length === 0 ? 'The delimiters match.' : lines.join('\n');
        return {
          content: [{ type: 'text', text: visible(text) }],
          structuredContent: { ok: problems.length === 0, problems },
        };
      },
    ),
};
