import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Project {
  /** Absolute and real. */
  readonly folder: string;
  /** Names under it that no layer covers: git's own files, and other file systems. */
  readonly mounts: readonly string[];
}

/** The repository around a folder; without one, the folder itself. */
export function projectAround(folder: string): Project {
  const start = realpathSync(folder);
  const root = repositoryAround(start) ?? start;
  const git = statSync(join(root, '.git'), { throwIfNoEntry: false })?.isDirectory() === true ? ['.git'] : [];
  return { folder: root, mounts: [...git, ...mountsIn(root)] };
}

function repositoryAround(folder: string): string | undefined {
  if (statSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : repositoryAround(above);
}

/** The outermost ones. */
function mountsIn(root: string): readonly string[] {
  const prefix = root === '/' ? '/' : `${root}/`;
  let lines: readonly string[] = [];
  try {
    lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  } catch {
    // Another system.
  }
  const octal = /\\(\d{3})/g;
  const points = lines.map((line) =>
    (line.split(' ')[4] ?? '').replace(octal, (_, code) => String.fromCharCode(Number.parseInt(code, 8))),
  );
  const inside = [...new Set(points.filter((point) => point.startsWith(prefix)))];
  return inside
    .filter((point) => !inside.some((other) => point.startsWith(`${other}/`)))
    .map((point) => point.slice(prefix.length))
    .filter((name) => name !== '.git');
}
