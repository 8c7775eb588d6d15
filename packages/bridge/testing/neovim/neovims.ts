import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../../../../', import.meta.url));

export interface Neovim {
  readonly program: string;
  /** Such as `0.7.2`. */
  readonly version: string;
  /** The version, for names of tests. */
  toString(): string;
}

/**
 * Every Neovim that is here: the installed one, those in HAWSER_NVIMS, and those that `npm run test:real -- neovim` has fetched.
 * For the tests that show in a minute whether a version works at all.
 */
export const everyNeovim: readonly Neovim[] = findNeovims();

/** The Neovims that the other tests run on: the installed one, or all where HAWSER_EVERY_NEOVIM is set. */
export const neovims = process.env.HAWSER_EVERY_NEOVIM === undefined ? everyNeovim.slice(0, 1) : everyNeovim;

export function isAtLeast({ version }: Neovim, major: number, minor: number): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

function findNeovims(): Neovim[] {
  const cache = join(repository, 'node_modules', '.cache', 'neovim');
  const fetched = existsSync(cache) ? readdirSync(cache).map((name) => join(cache, name, 'bin', 'nvim')) : [];
  const named = (process.env.HAWSER_NVIMS ?? '').split(delimiter).filter((program) => program !== '');
  const found = [...new Set(['nvim', ...named, ...fetched])].filter(
    (program) => program === 'nvim' || existsSync(program),
  );
  const byVersion = new Map(found.map((program) => [versionOf(program), program]));
  return [...byVersion].map(([version, program]) => ({ program, version, toString: () => version }));
}

function versionOf(program: string): string {
  const said = execFileSync(program, ['--version'], { encoding: 'utf8' });
  return /^NVIM v(\d+\.\d+\.\d+)/.exec(said)?.[1] ?? 'unknown';
}
