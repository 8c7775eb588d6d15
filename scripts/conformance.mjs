// @ts-check
// `npm run conformance`: runs the official conformance suite on our server and client, and prints the results.
import { parseArgs } from 'node:util';
import { clientGroups, serverGroups } from './conformance/groups.mjs';
import { counts, describeGroups } from './conformance/report.mjs';
import { suiteVersion } from './conformance/suite.mjs';

const HELP = `Runs the official conformance suite on test/conformance/server.mjs and client.mjs.

  npm run conformance -- [options]

  --only server|tasks|client   one part of it
  --scenario NAME              one scenario, in every revision it is run for
  --verbose                    show the output of the suite
  --help                       show this

The exit code is 1 when a required scenario failed.`;

const kinds = /** @type {const} */ (['server', 'tasks', 'client']);

/** @param {string[]} args */
function readArguments(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      scenario: { type: 'string' },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const only = kinds.find((kind) => kind === values.only);
  if (only === undefined && values.only !== undefined) {
    throw new Error(`--only takes one of ${kinds.join(', ')}, not ${values.only}`);
  }
  return { ...values, only };
}

/**
 * The server and the client are run side by side: most of the time is spent waiting.
 * @param {ReturnType<typeof readArguments>} values
 * @param {AbortSignal} signal
 */
async function conformance({ only, scenario, verbose }, signal) {
  const options = { only, scenario, signal, echo: verbose ? process.stderr : undefined };
  const found = await Promise.all([
    only === 'client' ? [] : serverGroups(options),
    only === undefined || only === 'client' ? clientGroups(options) : [],
  ]);
  return found.flat().filter(({ kind }) => only === undefined || kind === only);
}

const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interruption.abort(new Error(`Ended by ${name}`)));

try {
  const values = readArguments(process.argv.slice(2));
  if (values.help) {
    console.log(HELP);
  } else {
    console.log(`Official conformance suite ${suiteVersion}, Node ${process.versions.node}\n`);
    const groups = await conformance(values, interruption.signal);
    if (groups.length === 0) throw new Error(`There is no such scenario: ${values.scenario}`);
    console.log(describeGroups(groups));
    process.exitCode = groups.some((group) => counts(group).failed > 0) ? 1 : 0;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
  // When one side could not be run, the other is not waited for.
  interruption.abort(error);
}
