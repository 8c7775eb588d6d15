// Prints, every second, what the proxy and each process of a cluster say about themselves:
//   node watch.mjs http://127.0.0.1:8081
import { setTimeout as delay } from 'node:timers/promises';

const [statusUrl = 'http://127.0.0.1:8081', flag] = process.argv.slice(2);
const COLUMNS = [
  'process',
  'proxy says',
  'calls/s',
  'errors/s',
  'in flight',
  'sessions',
  'streams',
  'tasks',
  'delay ms',
  'MiB',
  'failures',
];

let before = new Map();
for (;;) {
  const now = new Map();
  const rows = [];
  try {
    for (const { name, address, status } of await processes()) {
      const metrics = await metricsOf(address);
      now.set(name, metrics);
      rows.push([name, status, ...figures(metrics, before.get(name))]);
    }
    print(rows);
  } catch (error) {
    console.error(`${statusUrl} does not answer as the status page of a cluster: ${causeOf(error)}`);
    if (before.size === 0) process.exit(1);
  }
  if (flag === '--once') break;
  before = now.size > 0 ? now : before;
  await delay(1000);
}

/** The processes that the proxy knows, from its status page. */
async function processes() {
  const response = await fetch(`${statusUrl}/;csv`, { signal: AbortSignal.timeout(2000) });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const [header = '', ...lines] = (await response.text()).trim().split('\n');
  const names = header.replace('# ', '').split(',');
  const rows = lines.map((line) => Object.fromEntries(line.split(',').map((value, index) => [names[index], value])));
  return rows
    .filter(({ pxname, svname }) => pxname === 'processes' && svname !== 'BACKEND')
    .map(({ svname, addr, status }) => ({ name: svname, address: addr, status }));
}

/** Undefined if the process does not answer. */
async function metricsOf(address) {
  try {
    const response = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(900) });
    const lines = (await response.text()).trim().split('\n');
    const at = performance.now() / 1000;
    return { at, values: lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]) };
  } catch {
    return undefined;
  }
}

function figures(now, before) {
  if (now === undefined) return COLUMNS.slice(2).map(() => '-');
  const sum = ({ values }, prefix) =>
    values.filter(([name]) => name.startsWith(prefix)).reduce((total, [, value]) => total + value, 0);
  const perSecond = (prefix) => {
    const grown = before === undefined ? 0 : sum(now, prefix) - sum(before, prefix);
    return before === undefined || grown < 0 ? '-' : (grown / (now.at - before.at)).toFixed(0);
  };
  return [
    perSecond('mcp_requests_total'),
    perSecond('mcp_request_errors_total'),
    sum(now, 'mcp_in_flight'),
    sum(now, 'mcp_sessions'),
    sum(now, 'mcp_streams'),
    sum(now, 'mcp_tasks'),
    (sum(now, 'mcp_event_loop_delay_seconds') * 1000).toFixed(0),
    (sum(now, 'mcp_resident_bytes') / 2 ** 20).toFixed(0),
    sum(now, 'mcp_failures_total'),
  ];
}

function print(rows) {
  const table = [COLUMNS, ...rows].map((row) => row.map(String));
  const widths = COLUMNS.map((_, column) => Math.max(...table.map((row) => row[column].length)));
  const lines = table.map((row) => row.map((cell, column) => cell.padStart(widths[column])).join('  '));
  if (process.stdout.isTTY) process.stdout.write('\x1b[H\x1b[2J');
  console.log(`${new Date().toLocaleTimeString()}\n${lines.join('\n')}\n`);
}

function causeOf(error) {
  return error.cause?.code ?? error.message;
}
