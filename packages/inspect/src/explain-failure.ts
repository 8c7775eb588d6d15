import { withoutLibraryHint } from '@hawser/client/library-hint';
import { LoginRequired } from '@hawser/client/login/login-required';
import { type Target, withoutSecrets } from '@hawser/client/target';
import type { Problem } from './calls.ts';

/** Why a server could not be connected to, and what the user can try. */
export function explainFailure(error: Error, target: Target): Problem {
  const message = withoutSecrets(withoutLibraryHint(error.message), target);
  const advice = target.kind === 'stdio' ? adviceOnProgram(message, target.command) : adviceOnAddress(error, message);
  return {
    message,
    ...(advice !== undefined && { advice }),
    ...(LoginRequired.isCauseOf(error) && { canLogIn: true as const }),
  };
}

function adviceOnProgram(message: string, command: string): string | undefined {
  if (/\bENOENT\b/.test(message)) {
    return `Is ${command} installed and on PATH? No shell runs, so aliases and shell functions are not found.`;
  }
  if (/\bEACCES\b/.test(message)) return `Make ${command} executable, or start it with its interpreter.`;
  if (/exited with code|was ended by|EPIPE/.test(message)) {
    return 'Run the command in a terminal to see why it ends. Servers often need environment variables or arguments.';
  }
  if (isTimeout(message)) {
    return 'The program runs, but does not answer. Is it an MCP server that speaks on stdin and stdout? Some older servers need a revision: choose one below.';
  }
  return undefined;
}

function adviceOnAddress(error: Error, message: string): string | undefined {
  const { status } = error as { readonly status?: unknown };
  const [, inText] = /\b(?:HTTP|status|response:) (\d{3})\b/.exec(message) ?? [];
  const code = typeof status === 'number' ? status : Number(inText);
  if (LoginRequired.isCauseOf(error)) return 'Log in here, or give a token of yours as a header.';
  if (code === 401 || code === 403) {
    return 'The server wants credentials. Add a header, such as Authorization: Bearer … with your token.';
  }
  if (code === 404 || code === 405) return 'Check the path: many servers answer at /mcp only.';
  if (code >= 500) return 'The server failed. Its own log says why.';
  if (/ECONNREFUSED/.test(message)) return 'Nothing listens there. Is the server running, and is the port right?';
  if (/ENOTFOUND|EAI_AGAIN/.test(message)) return 'The name of the host is not known. Check it for mistakes.';
  if (/certificate|self-signed|CERT_/i.test(message)) return 'The certificate of the server is not trusted here.';
  if (/not a message|not valid JSON/.test(message)) return 'This address answers, but not in MCP. Check the path.';
  if (isTimeout(message)) return 'The server does not answer. Check the address, or choose a revision below.';
  return undefined;
}

function isTimeout(message: string): boolean {
  return /no response within|timed? ?out/i.test(message);
}
