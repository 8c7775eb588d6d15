import type { Log } from '../log.ts';
import type { CodeServer } from './code-server.ts';
import type { Environment } from './environment.ts';

/** The options for code that agents run. */
export interface CodeOptions {
  /** The command that starts an MCP server; undefined if agents may run no code. */
  readonly executeCode?: string | undefined;
  readonly executeTool: string;
}

/** The server that the user asked for, if any; its client is loaded only then. Its stderr goes to the log. */
export async function codeServerOf(
  { executeCode: command, executeTool: tool }: CodeOptions,
  folder: string,
  { version }: Environment,
  log: Log,
): Promise<CodeServer | undefined> {
  if (command === undefined) return undefined;
  const { codeServer } = await import('./code-server.ts');
  const identity = { name: 'Hawser', version };
  return codeServer({ command, tool, folder, identity, onStderr: (text) => log.info('code', { text }) });
}
