// Requests of revision 2026-07-28.
import { capabilitiesOf, catalog } from './catalog.mjs';
import { STATELESS_FAULTS } from './stateless-faults.mjs';

const VERSION = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const TASKS = `${META}tasks`;
const REMOVED = [
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'tasks/result',
  'tasks/list',
];
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** A result with its envelope, or `{ error: code }`. */
export function statelessOutcome(rule, request) {
  const right = rightOutcome(rule, request);
  return STATELESS_FAULTS[rule]?.(request, right) ?? right;
}

function rightOutcome(rule, { method, params }) {
  const version = params._meta[`${META}protocolVersion`];
  const capabilities = params._meta[`${META}clientCapabilities`];
  const level = params._meta[`${META}logLevel`];
  if (version !== VERSION) {
    const isWrong =
      rule === (method === 'server/discover' ? 'stateless-discover-version' : 'stateless-version-unknown');
    const data = { supported: [VERSION], ...(rule !== 'stateless-version-requested' && { requested: version }) };
    return isWrong ? { error: -32602 } : { error: -32022, data };
  }
  if (capabilities === undefined && rule !== 'stateless-capabilities-missing') return { error: -32602 };
  if (typeof capabilities === 'string' && rule !== 'stateless-capabilities-type') return { error: -32602 };
  if (level !== undefined && !LEVELS.includes(level) && rule !== 'stateless-log-level-unknown')
    return { error: -32602 };
  const envelope = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  if (method === 'server/discover') {
    const { tasks: _, ...own } = capabilitiesOf(rule);
    const extensions = rule === 'stateless-tasks-undeclared' ? {} : { [TASKS]: {} };
    return {
      ...envelope,
      supportedVersions: [VERSION, '2025-11-25'],
      capabilities: { ...own, extensions },
      _meta: { [`${META}serverInfo`]: { name: 'bad', version: '1.0.0' } },
    };
  }
  if (
    method === 'tasks/get' &&
    rule !== 'stateless-tasks-undeclared' &&
    capabilities?.extensions?.[TASKS] === undefined
  ) {
    return { error: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } };
  }
  if (method === 'subscriptions/listen') return params.notifications === undefined ? { error: -32602 } : undefined;
  const outcome = REMOVED.includes(method) ? { error: -32601 } : (catalog(rule, method, params) ?? { error: -32601 });
  if (outcome.error === -32002) return { error: -32602 };
  return outcome.error === undefined ? { ...envelope, ...outcome } : outcome;
}

/** What a subscription gets when it is opened. */
export function acknowledgment(rule, id, { notifications }) {
  const spoiledIds = {
    'listen-id': id === 'listening' ? 'other' : id,
    'listen-id-zero': id === 0 ? '0' : id,
    'listen-two': id === 'b' ? 'a' : id,
  };
  const subscription = { [`${META}subscriptionId`]: rule in spoiledIds ? spoiledIds[rule] : id };
  const send = (method, more = {}) => ({ jsonrpc: '2.0', method, params: { _meta: subscription, ...more } });
  const granted = {
    ...(rule === 'listen-filter' && { everything: true }),
    ...(rule === 'listen-unsupported' && { toolsListChanged: true }),
  };
  const changed = send('notifications/tools/list_changed');
  const isEmpty = Object.keys(notifications).length === 0;
  return [
    ...(rule === 'listen-acknowledged' ? [changed] : []),
    send('notifications/subscriptions/acknowledged', { notifications: granted }),
    ...(rule === 'listen-nothing' && isEmpty ? [changed] : []),
  ];
}
