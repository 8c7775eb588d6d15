import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const run = promisify(execFile);
export const root = fileURLToPath(new URL('..', import.meta.url));

export interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly exports?: Readonly<Record<string, { readonly '@hawser/source': string; readonly default: string }>>;
  readonly [field: string]: unknown;
}

export interface PackedPackage {
  readonly folder: string;
  readonly json: PackageJson;
  /** Without `package/`. */
  readonly files: readonly string[];
  readonly tarball: string;
}

/** A project of its own, outside the repository, with what npm would publish installed in it. */
export interface PackedProject {
  readonly folder: string;
  readonly packages: readonly PackedPackage[];
  remove(): Promise<void>;
}

/** Packs what is built, without building again: other tests use it. `also` is what users of the packages install too. */
export async function packedProject(names: readonly string[], also: readonly string[] = []): Promise<PackedProject> {
  const folder = await mkdtemp(join(tmpdir(), 'hawser-packed-'));
  const packages = await Promise.all(names.map((name) => pack(join(root, 'packages', name), folder)));
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const wanted = [...packages.map(({ tarball }) => tarball), ...also];
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...wanted], { cwd: folder });
  return { folder, packages, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

async function pack(folder: string, destination: string): Promise<PackedPackage> {
  const options = ['--json', '--ignore-scripts', '--pack-destination', destination];
  const { stdout } = await run('npm', ['pack', ...options], { cwd: folder });
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  return {
    folder,
    json: JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')),
    files: files.map(({ path }) => path),
    tarball: join(destination, filename),
  };
}
