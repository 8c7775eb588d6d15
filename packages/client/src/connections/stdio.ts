import { type ChildConnection, connectStdio, defaultEnvironment } from '@hawser/mcp/stdio';
import type { StdioTarget, Target } from '../target.ts';

export interface StdioOptions {
  /** Gets what the server writes to stderr. */
  readonly onStderr?: (text: string) => void;
  /** Gets what `onStderr` throws. */
  readonly onError?: (error: Error) => void;
}

/** Starts the server. It is in a process group of its own, so that Ctrl-C in the terminal is ours to handle. */
export function openStdio(target: StdioTarget, options: StdioOptions = {}): ChildConnection {
  const { command, args, env, inheritEnv = false, cwd } = target;
  const { onStderr, onError } = options;
  return connectStdio({
    ...{ command, args, env, inheritEnv, cwd, processGroup: 'own' },
    ...(onStderr !== undefined && { onStderr }),
    ...(onError !== undefined && { onError }),
  });
}

/** Which of our variables a server gets that we start, besides its own. */
export function inheritedVariables(
  target: Target,
  variables: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  return target.kind !== 'stdio' || target.inheritEnv ? variables : defaultEnvironment(variables);
}
