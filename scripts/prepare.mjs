// @ts-check
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** What package.json says in `engines`; a test compares the two. */
export const oldestNode = '20.19';

/**
 * @param {string} version such as 20.19.0
 * @returns {string | undefined} a message for the user if this Node is too old
 */
export function nodeVersionProblem(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split('.').map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `Hawser needs Node ${oldestNode} or newer, and this is Node ${version}. See https://nodejs.org/en/download`;
}

/** Ends the process if its Node is too old. */
export function requireNode() {
  const problem = nodeVersionProblem(process.versions.node);
  if (problem === undefined) return;
  console.error(problem);
  process.exit(1);
}

/**
 * @typedef {{ packages: Record<string, { version?: string, optional?: boolean }> }} LockFile
 */

/**
 * Compares what is to be installed with what npm noted as installed. File times are not compared: a checkout makes
 * every file new.
 * @param {LockFile | undefined} wanted package-lock.json
 * @param {LockFile | undefined} installed node_modules/.package-lock.json
 * @returns {string | undefined} why an install is needed
 */
export function installReason(wanted, installed) {
  if (installed === undefined) return 'node_modules is missing';
  if (wanted === undefined) return undefined;
  for (const [path, { version, optional }] of Object.entries(wanted.packages)) {
    if (!path.includes('node_modules/')) continue;
    const present = installed.packages[path];
    // npm leaves out the optional packages of other platforms.
    if (present === undefined && optional) continue;
    if (present === undefined) return `${path} is missing`;
    if (present.version !== version) return `${path} is ${present.version}, package-lock.json wants ${version}`;
  }
  return undefined;
}

/** Dev dependencies are named because NODE_ENV=production would leave them out, and the build needs them. */
export const installArguments = ['ci', '--include=dev'];

/**
 * Installs what package-lock.json asks for, when it is not there.
 * @param {ReturnType<typeof import('./steps.mjs').createSteps>} steps
 */
export async function prepare(steps) {
  const wanted = readLockFile(join(root, 'package-lock.json'));
  const installed = readLockFile(join(root, 'node_modules', '.package-lock.json'));
  const reason = installReason(wanted, installed);
  if (reason === undefined) return;
  await steps.step(`install: ${reason}`, () => steps.npm(root, installArguments));
}

/**
 * @param {string} path
 * @returns {LockFile | undefined}
 */
function readLockFile(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}
