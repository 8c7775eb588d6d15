import { withoutLibraryHint } from '@hawser/client/library-hint';
import { LoginRequired } from '@hawser/client/login/login-required';
import { type Target, withoutSecrets } from '@hawser/client/target';
import type { Problem } from './calls.ts';

/** Why a server could not be connected to, and what the user can try. */
export function explainFailure(error: Error, target: Target): Problem {
  const message = withoutSecrets(withoutLibraryHint(error.message), target);
  const facts = factsOf(error);
  const advice = target.kind === 'stdio' ? adviceOnProgram(facts, target.command) : adviceOnAddress(facts);
  return {
    message,
    ...(advice !== undefined && { advice }),
    ...(LoginRequired.isCauseOf(error) && { canLogIn: true as const }),
  };
}

/** The names, code and status of an error and its causes. Compares class names, because each bundle has its own classes. */
interface Facts {
  readonly names: readonly string[];
  /** The system's code, such as ECONNREFUSED. */
  readonly code: string | undefined;
  readonly status: number | undefined;
}

function factsOf(error: Error): Facts {
  const chain: (Error & { readonly code?: unknown; readonly status?: unknown })[] = [];
  for (let each: unknown = error; each instanceof Error && chain.length < 10; each = each.cause) chain.push(each);
  return {
    names: chain.map(({ name }) => name),
    code: chain.map(({ code }) => code).find((code) => typeof code === 'string'),
    status: chain.map(({ status }) => status).find((status) => typeof status === 'number'),
  };
}

function adviceOnProgram({ names, code }: Facts, command: string): string | undefined {
  if (code === 'ENOENT') {
    return `Is ${command} installed and on PATH? No shell runs, so aliases and shell functions are not found.`;
  }
  if (code === 'EACCES') return `Make ${command} executable, or start it with its interpreter.`;
  if (names.includes('ConnectionClosed')) {
    return 'Run the command in a terminal to see why it ends. Servers often need environment variables or arguments.';
  }
  if (names.includes('RequestTimeout')) {
    return 'The program runs, but does not answer. Is it an MCP server that speaks on stdin and stdout? Some older servers need a revision: choose one below.';
  }
  return undefined;
}

function adviceOnAddress({ names, code = '', status = 0 }: Facts): string | undefined {
  if (names.includes('LoginRequired')) return 'Log in here, or give a token of yours as a header.';
  if (status === 401 || status === 403) {
    return 'The server wants credentials. Add a header, such as Authorization: Bearer … with your token.';
  }
  if (status === 404 || status === 405) return 'Check the path: many servers answer at /mcp only.';
  if (status >= 500) return 'The server failed. Its own log says why.';
  if (code === 'ECONNREFUSED') return 'Nothing listens there. Is the server running, and is the port right?';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The name of the host is not known. Check it for mistakes.';
  if (/CERT|SIGNATURE/.test(code)) return 'The certificate of the server is not trusted here.';
  if (status >= 200 || names.includes('InvalidResponse')) {
    return 'This address answers, but not in MCP. Check the path.';
  }
  if (names.includes('RequestTimeout') || code === 'ETIMEDOUT') {
    return 'The server does not answer. Check the address, or choose a revision below.';
  }
  return undefined;
}
