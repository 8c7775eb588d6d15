import type { Server } from '@hawser/mcp';
import { texts } from '../../adapter-parts/tool-texts.ts';
import type { ClaudeToolContext } from '../tool-context.ts';

export function addExecuteCode(server: Server, { evaluate, editor }: ClaudeToolContext): void {
  if (evaluate === undefined) return;
  server.tool<{ code: string }>(
    {
      name: 'executeCode',
      description: 'Run code in the evaluator the user has configured; its state persists between calls',
      inputSchema: {
        type: 'object',
        properties: { code: { type: 'string', description: 'The code to run' } },
        required: ['code'],
      },
    },
    async ({ code }, { signal }) => {
      editor.requireResumed();
      const { text, isError } = await evaluate(code, { signal });
      return { ...texts(text), ...(isError && { isError }) };
    },
  );
}
