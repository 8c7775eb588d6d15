// @ts-check
// The official conformance suite: where it is, what it requires, and how it is run.
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runNode } from './child.mjs';

const manifestPath = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json');
const folder = dirname(manifestPath);

/** @type {{ version: string }} */
export const { version: suiteVersion } = JSON.parse(fs.readFileSync(manifestPath, 'utf8'));

/**
 * @typedef {'server' | 'client'} Side
 * @typedef {{ scenario: string, leg: Side, reason: string }} NotScored
 * @typedef {{ server: string[], client: string[], not_scored: NotScored[] }} Requirements
 */

/**
 * Which scenarios a revision requires, and which are run for it without being counted.
 * @param {string} revision
 * @returns {Requirements}
 */
export function requirements(revision) {
  /** @type {{ parse(text: string): Requirements }} */
  const { parse } = createRequire(manifestPath)('yaml');
  return parse(fs.readFileSync(join(folder, 'requirements', `${revision}.yaml`), 'utf8'));
}

/**
 * @typedef {object} Check
 * @property {string} id
 * @property {'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'} status
 * @property {string} [description]
 * @property {string} [errorMessage]
 *
 * @typedef {object} SuiteRun
 * @property {Map<string, Check[] | undefined>} scenarios each with its checks; undefined when it was not run to its end
 * @property {Map<string, string>} complaints what our clients wrote to stderr, by scenario
 * @property {import('./child.mjs').Ended} ended
 *
 * @typedef {object} RunOptions
 * @property {number} deadline for the whole run, in milliseconds
 * @property {AbortSignal | undefined} [signal]
 * @property {NodeJS.WritableStream | undefined} [echo]
 */

/**
 * Runs the suite once and reads the checks it has written.
 * @param {Side} side
 * @param {readonly string[]} args
 * @param {RunOptions} options
 * @returns {Promise<SuiteRun>}
 */
export async function runSuite(side, args, options) {
  const output = fs.mkdtempSync(join(tmpdir(), 'hawser-conformance-'));
  try {
    const cli = join(folder, 'dist', 'index.js');
    const ended = await runNode([...globArguments(), cli, side, ...args, '--output-dir', output], options);
    return { scenarios: readChecks(output, side), complaints: readComplaints(output), ended };
  } finally {
    fs.rmSync(output, { recursive: true, force: true });
  }
}

/** What lets the suite start on a Node before 22. */
function globArguments() {
  if ('globSync' in fs) return [];
  const hook = new URL('glob-hook.mjs', import.meta.url).href;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(hook)});`;
  return ['--import', `data:text/javascript,${encodeURIComponent(register)}`];
}

/**
 * @param {string} output
 * @param {Side} side
 */
export function readChecks(output, side) {
  /** @type {Map<string, Check[] | undefined>} */
  const scenarios = new Map();
  for (const name of resultFolders(output)) {
    const scenario = name.replace(STAMP, '').replace(side === 'server' ? /^server-/ : '', '');
    scenarios.set(scenario, checksIn(join(output, name, 'checks.json')));
  }
  return scenarios;
}

/**
 * Undefined when there are none, also when the suite was ended while it wrote them.
 * @param {string} file
 * @returns {Check[] | undefined}
 */
function checksIn(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {string} output */
function readComplaints(output) {
  /** @type {Map<string, string>} */
  const complaints = new Map();
  for (const name of resultFolders(output)) {
    const file = join(output, name, 'stderr.txt');
    const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
    if (text !== '') complaints.set(name.replace(STAMP, ''), text);
  }
  return complaints;
}

/** When a scenario was run: the end of its folder's name. */
const STAMP = /-\d{4}-\d\d-\d\dT[\d-]+Z$/;

/**
 * The folders of the scenarios, relative to `output`. The folder of `auth/dpop` is in the folder `auth`.
 * @param {string} output
 */
function resultFolders(output) {
  return fs
    .readdirSync(output)
    .sort()
    .flatMap((name) =>
      STAMP.test(name) ? [name] : fs.readdirSync(join(output, name)).map((inner) => `${name}/${inner}`),
    );
}
