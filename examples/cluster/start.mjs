// Starts Redis, several processes of server.mjs and HAProxy in front of them. Ctrl-C ends all.
//   node start.mjs --processes 3
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Cluster } from './cluster.mjs';

const HELP = `Usage: node start.mjs [options]

Starts Redis, several processes of server.mjs and HAProxy in front of them. Ctrl-C ends all of them.

  --processes N      how many (default 2)
  --port N           where clients connect (default 8080; 0 is any free port)
  --status-port N    of the status page that watch.mjs reads (default 8081; 0 is any free port)
  --redis URL        a Redis that runs already (default: one is started, and its data deleted in the end)
  --help             this text

STATE_SECRET and LEASE_MS are passed on to server.mjs.
`;
const RESTART_MS = 1000;

/** @type {Promise<void> | undefined} */
let closing;
try {
  const { values } = parseArgs({
    options: {
      processes: { type: 'string', default: '2' },
      port: { type: 'string', default: '8080' },
      'status-port': { type: 'string', default: '8081' },
      redis: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) process.stdout.write(HELP);
  else await start(values);
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}

async function start(values) {
  const cluster = new Cluster({
    processes: numberOf(values, 'processes', 1, 64),
    port: numberOf(values, 'port', 0, 65_535),
    statusPort: numberOf(values, 'status-port', 0, 65_535),
    redisUrl: values.redis,
    env: { STATE_SECRET: process.env.STATE_SECRET ?? randomBytes(32).toString('hex') },
    onOutput: (name, text) => {
      if (name.startsWith('process')) process.stderr.write(text.replace(/^(?=.)/gm, `[${name}] `));
    },
    onUnexpectedEnd: (name) => {
      console.error(`${name} has ended and is started again.`);
      setTimeout(() => restart(cluster, name), RESTART_MS);
    },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => close(cluster));
  try {
    await cluster.start();
  } catch (error) {
    await close(cluster);
    throw error;
  }
  console.log(`Listening at ${cluster.url}`);
  console.log(`Watch with: node ${new URL('watch.mjs', import.meta.url).pathname} ${cluster.statusUrl}`);
}

function close(cluster) {
  closing ??= cluster.close();
  return closing;
}

async function restart(cluster, name) {
  const program = cluster.programs.find((each) => each.name === name);
  if (closing !== undefined || program === undefined || program.isRunning) return;
  try {
    await program.start();
  } catch (error) {
    console.error(/** @type {Error} */ (error).message);
    setTimeout(() => restart(cluster, name), RESTART_MS);
  }
}

function numberOf(values, name, least, most) {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new Error(`--${name} takes a number from ${least} to ${most}, not ${values[name]}.`);
}
