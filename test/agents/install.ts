import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npmCommand } from '../../scripts/steps.mjs';
import type { RealAgent } from './real-agent.ts';

const run = promisify(execFile);
const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'agents');
const INSTALL_TIMEOUT_MS = 10 * 60_000;

/** Fetches the agent from npm unless this version is there, and gives the path of its program. */
export async function install({ name, package: packageName, version, program }: RealAgent): Promise<string> {
  const folder = join(cache, name);
  const path = join(folder, 'node_modules', '.bin', program);
  if (installedVersion(folder, packageName) === version && existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const [npm, prefix] = npmCommand(process.env);
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-save', `${packageName}@${version}`];
  await run(npm, [...prefix, ...args], { cwd: folder, timeout: INSTALL_TIMEOUT_MS });
  if (!existsSync(path)) throw new Error(`npm installed ${packageName}@${version}, but there is no ${path}`);
  return path;
}

function installedVersion(folder: string, packageName: string): string | undefined {
  const path = join(folder, 'node_modules', packageName, 'package.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).version : undefined;
}
