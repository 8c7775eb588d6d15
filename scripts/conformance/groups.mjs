// @ts-check
// What is run: the suite's scenarios for our server and our client, in groups by revision.
import { join } from 'node:path';
import { root } from '../prepare.mjs';
import { startServer } from './child.mjs';
import { requirements, runSuite } from './suite.mjs';
import { judge } from './verdict.mjs';

/**
 * The scenarios of one revision for one side.
 * @typedef {object} Group
 * @property {'server' | 'tasks' | 'client'} kind
 * @property {string} revision
 * @property {import('./verdict.mjs').Verdict[]} required
 * @property {(import('./verdict.mjs').Verdict & { reason: string })[]} notScored run and shown, never counted
 *
 * @typedef {object} Options
 * @property {Group['kind'] | undefined} [only]
 * @property {string | undefined} [scenario] run this one alone
 * @property {AbortSignal | undefined} [signal]
 * @property {NodeJS.WritableStream | undefined} [echo] gets the output of the suite
 */

/** Revisions the suite has frozen requirements for. */
const REQUIREMENTS = ['2025-11-25', '2026-07-28'];
/** Earlier ones: all its scenarios that apply. */
const EARLIER = ['2025-03-26', '2025-06-18'];
const TASKS_REVISION = '2026-07-28';

const fixtures = join(root, 'test', 'conformance');
const START_DEADLINE = 60_000;
const SCENARIO_TIMEOUT = 30_000;
/** A run on a server is many scenarios; those of a healthy one take ten seconds together. */
const SERVER_DEADLINE = 240_000;
const CLIENT_DEADLINE = 60_000;
const CLIENTS_DEADLINE = 120_000;
const CLIENT_COMMAND = `"${process.execPath}" "${join(fixtures, 'client.mjs')}"`;
/** How servers of this revision are protected, which later ones dropped. */
const LEGACY_REVISION = '2025-03-26';
const LEGACY_AUTHORIZATION = ['auth/2025-03-26-oauth-metadata-backcompat', 'auth/2025-03-26-oauth-endpoint-fallback'];
const aboutTasks = /^tasks-/;

/**
 * Our server, in every revision with HTTP; the last group is the tasks extension.
 * @param {Options} options
 * @returns {Promise<Group[]>}
 */
export async function serverGroups(options = {}) {
  const server = await startServer(join(fixtures, 'server.mjs'), { deadline: START_DEADLINE, env: { PORT: '0' } });
  try {
    /** @type {Group[]} */
    const groups = [];
    const isWanted = (/** @type {string} */ revision) => options.only !== 'tasks' || revision === TASKS_REVISION;
    for (const revision of EARLIER.filter(isWanted)) groups.push(await earlierGroup(server.url, revision, options));
    for (const revision of REQUIREMENTS.filter(isWanted)) {
      groups.push(await requirementsGroup(server.url, revision, options));
    }
    return groups.flatMap(apartFromTasks).filter(isNotEmpty);
  } finally {
    await server.close();
  }
}

/**
 * Our client, in the revisions with requirements, and with the authorization of 2025-03-26.
 * @param {Options} options
 * @returns {Promise<Group[]>}
 */
export async function clientGroups(options = {}) {
  /** @type {Group[]} */
  const groups = [];
  const legacy = LEGACY_AUTHORIZATION.filter((scenario) => [undefined, scenario].includes(options.scenario));
  /** @type {Group} */
  const group = { kind: 'client', revision: LEGACY_REVISION, required: [], notScored: [] };
  for (const scenario of legacy) group.required.push(await clientVerdict(scenario, LEGACY_REVISION, options));
  groups.push(group);
  for (const revision of REQUIREMENTS) {
    const { client: required, notScored } = scenariosOf(revision, 'client', options);
    const together = options.scenario === undefined ? await clientsTogether(revision, options) : new Map();
    /** @param {string} scenario */
    const verdict = (scenario) => together.get(scenario) ?? clientVerdict(scenario, revision, options);
    /** @type {Group} */
    const group = { kind: 'client', revision, required: [], notScored: [] };
    for (const scenario of required) group.required.push(await verdict(scenario));
    for (const { scenario, reason } of notScored) group.notScored.push({ ...(await verdict(scenario)), reason });
    groups.push(group);
  }
  return groups.filter(isNotEmpty);
}

/**
 * The scenarios of a revision that pass when all are run at the same time, which takes a third of the time. The others
 * are to be run alone: some measure times, and the suite then also looks at how the client ends.
 * @param {string} revision
 * @param {Options} options
 */
async function clientsTogether(revision, { signal, echo }) {
  const args = ['--command', CLIENT_COMMAND, '--requirements', revision, '--timeout', `${SCENARIO_TIMEOUT}`];
  const { scenarios, complaints } = await runSuite('client', args, { deadline: CLIENTS_DEADLINE, signal, echo });
  const verdicts = [...scenarios].map(([scenario, checks]) => judge(scenario, checks, complaints.get(scenario)));
  const passed = verdicts.filter(({ outcome, warnings }) => outcome === 'passed' && warnings.length === 0);
  return new Map(passed.map((verdict) => [verdict.scenario, verdict]));
}

/**
 * @param {string} revision
 * @param {import('./suite.mjs').Side} side
 * @param {Options} options
 */
function scenariosOf(revision, side, { scenario: wanted }) {
  const { server, client, not_scored } = requirements(revision);
  /** @param {string} scenario */
  const isWanted = (scenario) => wanted === undefined || scenario === wanted;
  return {
    server: server.filter(isWanted),
    client: client.filter(isWanted),
    notScored: not_scored.filter(({ leg, scenario }) => leg === side && isWanted(scenario)),
  };
}

/**
 * @param {string} url
 * @param {string} revision
 * @param {Options} options
 * @returns {Promise<Group>}
 */
async function requirementsGroup(url, revision, { scenario, signal, echo }) {
  const { server: required, notScored } = scenariosOf(revision, 'server', { scenario });
  /** @type {Group} */
  const group = { kind: 'server', revision, required: [], notScored: [] };
  if (required.length + notScored.length === 0) return group;
  const which =
    scenario === undefined
      ? ['--requirements', revision]
      : ['--scenario', scenario, '--spec-version', revision, '--force'];
  const { scenarios, ended } = await runOnServer(url, which, { signal, echo });
  const trouble = ended.code === undefined ? 'The suite did not come to its end in time' : undefined;
  /** @param {string} name */
  const verdict = (name) => judge(name, scenarios.get(name), scenarios.has(name) ? undefined : trouble);
  group.required = required.map(verdict);
  group.notScored = notScored.map(({ scenario: name, reason }) => ({ ...verdict(name), reason }));
  return group;
}

/**
 * All scenarios that apply to an earlier revision count as required; the suite says how many it is going to run.
 * @param {string} url
 * @param {string} revision
 * @param {Options} options
 * @returns {Promise<Group>}
 */
async function earlierGroup(url, revision, { scenario, signal, echo }) {
  /** @type {Group} */
  const group = { kind: 'server', revision, required: [], notScored: [] };
  const which = scenario === undefined ? [] : ['--scenario', scenario];
  if (scenario !== undefined && !isKnown(scenario)) return group;
  const { scenarios, ended } = await runOnServer(url, [...which, '--spec-version', revision], { signal, echo });
  if (scenario !== undefined && ended.stdout.includes('SKIPPED')) return group;
  group.required = [...scenarios].map(([name, checks]) => judge(name, checks, undefined));
  const announced = scenario === undefined ? Number(/\((\d+) scenarios\)/.exec(ended.stdout)?.[1] ?? 1) : 1;
  if (group.required.length < announced) {
    const trouble = `${announced - group.required.length} scenarios were not run: ${lastLines(ended)}`;
    group.required.push(judge(scenario ?? 'the whole run', undefined, trouble));
  }
  return group;
}

/**
 * Whether a server scenario may apply to an earlier revision: those do to the one after them, too.
 * @param {string} scenario
 */
function isKnown(scenario) {
  const { server, notScored } = scenariosOf('2025-11-25', 'server', { scenario });
  return server.length + notScored.length > 0;
}

/**
 * @param {string} url
 * @param {readonly string[]} which
 * @param {Options} options
 */
function runOnServer(url, which, options) {
  const args = ['--url', url, ...which, '--timeout', `${SCENARIO_TIMEOUT}`];
  return runSuite('server', args, { deadline: SERVER_DEADLINE, ...options });
}

/**
 * @param {string} scenario
 * @param {string} revision
 * @param {Options} options
 */
async function clientVerdict(scenario, revision, { signal, echo }) {
  const which = ['--scenario', scenario, '--spec-version', revision, '--force'];
  const args = ['--command', CLIENT_COMMAND, ...which, '--timeout', `${SCENARIO_TIMEOUT}`];
  const { scenarios, ended } = await runSuite('client', args, { deadline: CLIENT_DEADLINE, signal, echo });
  const checks = scenarios.get(scenario);
  const warned = checks?.some(({ status }) => status === 'WARNING');
  // The suite's exit code also tells of warnings, and of a client that failed though nothing else was wrong.
  const trouble = ended.code === 0 || warned ? undefined : `The client did not end well: ${lastLines(ended)}`;
  return judge(scenario, checks, trouble);
}

/** @param {import('./child.mjs').Ended} ended */
function lastLines({ code, stdout, stderr }) {
  if (code === undefined) return 'it was ended at its deadline';
  return `${stdout}\n${stderr}`.trim().split('\n').slice(-5).join('\n');
}

/**
 * The suite counts no extension; for us the tasks are a group of their own. A scenario that is only announced, with
 * every check skipped, stays among those that are not scored.
 * @param {Group} group
 * @returns {Group[]}
 */
function apartFromTasks(group) {
  /** @param {import('./verdict.mjs').Verdict} verdict */
  const isTask = ({ scenario, outcome }) => aboutTasks.test(scenario) && outcome !== 'skipped';
  const tasks = group.notScored.filter(isTask);
  const notScored = group.notScored.filter((verdict) => !isTask(verdict));
  return [
    { ...group, notScored },
    { kind: 'tasks', revision: group.revision, required: tasks, notScored: [] },
  ];
}

/** @param {Group} group */
function isNotEmpty({ required, notScored }) {
  return required.length + notScored.length > 0;
}
