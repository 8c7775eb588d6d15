import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import type { ClientSession } from '@hawser/mcp/client';
import { jsonText } from '@hawser/terminal-text/json-text';
import { tableLines } from '@hawser/terminal-text/table';
import type { ClientEnvironment } from '../client-environment.ts';
import { describeTarget, withoutSecrets } from '../target.ts';
import { type ClientFlags, withTargetOptions } from './target-options.ts';
import { connect, targetOf, untilSignal } from './with-session.ts';

export const healthCommand = withTargetOptions({
  name: 'health',
  description: 'connect to an MCP server, list what it offers and ping it',
  options: [{ name: 'json', description: 'as JSON' }],
  notes: 'Exit codes: 0 all is well, 1 a step failed, 10 no connection.',
});

interface Step {
  readonly name: string;
  readonly status: 'ok' | 'failed' | 'skipped';
  readonly ms: number;
  readonly detail: string;
}

/** Each step even if one before it failed; without a connection, only that. */
export async function health(flags: ClientFlags, environment: ClientEnvironment): Promise<void> {
  const target = await targetOf(flags, environment);
  const { signal, exitCode } = untilSignal(environment);
  const steps: Step[] = [];
  let session: ClientSession | undefined;
  const run = async (name: string, work: () => Promise<string | undefined>) => {
    const began = performance.now();
    const outcome = await work().then(
      (detail) => ({
        status: detail === undefined ? ('skipped' as const) : ('ok' as const),
        detail: detail ?? 'not offered',
      }),
      (error: Error) => ({ status: 'failed' as const, detail: withoutSecrets(error.message, target) }),
    );
    steps.push({ name, ...outcome, ms: Math.round(performance.now() - began) });
  };
  await run('connect', async () => {
    session = await connect(target, flags, environment, signal, {});
    const { name = 'unnamed', version = '' } = session.serverInfo ?? {};
    return `${name} ${version}, MCP ${session.protocolVersion}`;
  });
  if (session !== undefined) {
    const open: ClientSession = session;
    const { tools, resources, prompts } = open.serverCapabilities;
    const counted = async (offered: object | undefined, list: () => Promise<readonly unknown[]>) =>
      offered === undefined ? undefined : String((await list()).length);
    await run('tools', () => counted(tools, () => open.listTools({ signal })));
    await run('resources', () => counted(resources, () => open.listResources({ signal })));
    await run('prompts', () => counted(prompts, () => open.listPrompts({ signal })));
    await run('ping', async () => {
      await open.ping({ signal });
      return '';
    });
    await open.close();
  }
  if (signal.aborted) throw new CommandFailed(exitCode(), '');
  const isWell = steps.every(({ status }) => status !== 'failed');
  report({ target: describeTarget(target), status: isWell ? 'ok' : 'failed', steps }, flags, environment);
  if (!isWell) throw new CommandFailed(session === undefined ? ExitCode.noServer : ExitCode.failed, '');
}

interface Report {
  readonly target: string;
  readonly status: 'ok' | 'failed';
  readonly steps: readonly Step[];
}

function report(found: Report, { json }: ClientFlags, { stdout, columns }: ClientEnvironment): void {
  if (json) {
    stdout(jsonText(found));
    return;
  }
  const rows = found.steps.map(({ name, status, ms, detail }) => [name, status, `${ms} ms`, detail]);
  for (const line of tableLines(rows, columns)) stdout(line);
}
