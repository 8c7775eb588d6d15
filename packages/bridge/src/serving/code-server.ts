import type { CallToolResult, Implementation } from '@hawser/mcp';
import { Client, type ClientSession } from '@hawser/mcp/client';
import { connectStdio } from '@hawser/mcp/stdio';

/** An MCP server that runs code for agents. Started by the first call; one that ended is started anew by the next. */
export interface CodeServer {
  /** What its tool says. Rejects when the server cannot be started or lacks the tool. */
  evaluate(code: string, options: { readonly signal: AbortSignal }): Promise<{ text: string; isError: boolean }>;
  /** Ends the server. Safe to call twice. */
  close(): Promise<void>;
}

export interface CodeServerOptions {
  /** Given to the shell; speaks MCP on its stdin and stdout. */
  readonly command: string;
  /** The tool that takes `{ code }`. */
  readonly tool: string;
  readonly folder: string;
  readonly identity: Implementation;
  readonly onStderr: (text: string) => void;
}

const START_TIMEOUT_MS = 30_000;

export function codeServer({ command, tool, folder, identity, onStderr }: CodeServerOptions): CodeServer {
  let session: Promise<ClientSession> | undefined;
  let isClosed = false;

  const start = async (): Promise<ClientSession> => {
    const connection = connectStdio({ command: 'sh', args: ['-c', command], inheritEnv: true, cwd: folder, onStderr });
    // No timeout for calls: the user decides how long code may run, by cancelling.
    const opened = await new Client(identity, { timeout: 0 }).connect(connection, { timeout: START_TIMEOUT_MS });
    try {
      const names = (await opened.listTools({ timeout: START_TIMEOUT_MS })).map(({ name }) => name);
      if (names.includes(tool)) return opened;
      throw new Error(`${command} has no tool ${tool}; it has ${names.join(', ') || 'none'}`);
    } catch (error) {
      await opened.close();
      throw error;
    }
  };
  const connected = (): Promise<ClientSession> => {
    if (isClosed) throw new Error('The bridge is closing');
    if (session === undefined) {
      const starting = start();
      const forget = () => {
        if (session === starting) session = undefined;
      };
      session = starting;
      starting.then((opened) => opened.closed.then(forget), forget);
    }
    return session;
  };

  return {
    evaluate: async (code, { signal }) => resultOf(await (await connected()).callTool(tool, { code }, { signal })),
    close: async () => {
      isClosed = true;
      const opened = await session?.catch(() => undefined);
      await opened?.close();
    },
  };
}

function resultOf({ content = [], isError = false }: CallToolResult): { text: string; isError: boolean } {
  const texts = content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`));
  return { text: texts.join('\n'), isError };
}
