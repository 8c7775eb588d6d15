import { splitCommand } from './split-command.ts';
import { type Target, TargetProblem, urlTarget } from './target.ts';
import type { TargetPlaces } from './target-places.ts';

/** How the user names a server: by one of these, or by none for the editor of this folder. */
export interface TargetFlags {
  /** A command that starts it. */
  readonly stdio?: string;
  readonly url?: string;
  /** As in `Name: value`. */
  readonly header?: readonly string[];
  /** The file by which agents find an editor. */
  readonly lock?: string;
  /** Its name in a configuration file. */
  readonly server?: string;
  /** That file; undefined: the usual ones. */
  readonly config?: string;
}

/** The server that the user means. Throws a TargetProblem that says what is wrong. */
export async function resolveTarget(flags: TargetFlags, places: TargetPlaces): Promise<Target> {
  const { stdio, url, header = [], lock, server, config } = flags;
  const given = Object.entries({ stdio, url, lock, server }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`],
  );
  if (given.length > 1) throw new TargetProblem(`Use one of ${given.join(' and ')}.`);
  if (config !== undefined && server === undefined) throw new TargetProblem('--config needs --server.');
  const headers = headersOf(header);
  const target = await chosen(flags, places);
  if (target.kind === 'stdio' && header.length > 0) throw new TargetProblem('A command takes no --header.');
  return withHeaders(target, headers);
}

async function chosen({ stdio, url, lock, server, config }: TargetFlags, places: TargetPlaces): Promise<Target> {
  if (stdio !== undefined) {
    const [command, ...args] = splitCommand(stdio);
    if (command === undefined) throw new TargetProblem('--stdio is empty. Name a command, such as "node server.js".');
    return { kind: 'stdio', command, args, env: {}, inheritEnv: true, cwd: places.cwd };
  }
  if (url !== undefined) return urlTarget(url, {});
  // Loaded when it is needed: reading configuration files takes more code than the rest.
  if (server !== undefined) {
    const { serverTarget } = await import('./server-target.ts');
    return serverTarget({ name: server, config }, places);
  }
  const finder = await places.editors?.();
  if (finder === undefined) throw new TargetProblem('Name a server with --stdio, --url or --server.');
  if (lock !== undefined) return finder.byFile(lock);
  const editor = await finder.ofFolder();
  if (editor !== undefined) return editor;
  throw new TargetProblem(
    `No editor serves ${places.cwd}. Start one with hawser, or name a server with --stdio, --url, --lock or --server.`,
  );
}

function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*?)\s*$/.exec(line) ?? [];
      if (name === undefined || value === undefined) {
        throw new TargetProblem(`--header ${line}: write it as "Name: value".`);
      }
      return [name, value];
    }),
  );
}

function withHeaders(target: Target, headers: Readonly<Record<string, string>>): Target {
  if (target.kind === 'stdio') return target;
  // The user's replace those of a file, in whatever case they are written.
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const kept = Object.entries(target.headers).filter(([name]) => !given.has(name.toLowerCase()));
  return { ...target, headers: { ...Object.fromEntries(kept), ...headers } };
}
