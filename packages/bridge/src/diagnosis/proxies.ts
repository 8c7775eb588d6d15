import type { Finding } from './finding.ts';

const LOOPBACK = ['127.0.0.1', 'localhost'];
const PROXIES = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

/** A proxy for HTTP that agents would also use for this machine. */
export function proxyFinding(variables: Readonly<Record<string, string | undefined>>): Finding {
  const [id, title] = ['proxy', 'Proxies'];
  const set = PROXIES.filter((name) => (variables[name] ?? '') !== '');
  if (set.length === 0) return { id, title, status: 'ok', detail: 'none set' };
  const hosts = (variables.NO_PROXY || variables.no_proxy || '').split(/[,\s]+/);
  const missing = hosts.includes('*') ? [] : LOOPBACK.filter((host) => !hosts.includes(host));
  if (missing.length === 0) return { id, title, status: 'ok', detail: `${set.join(', ')} set, not for this machine` };
  return {
    id,
    title,
    status: 'warning',
    detail: `${set.join(', ')} set, and NO_PROXY lacks ${missing.join(' and ')}: some agents then can't reach the editor`,
    advice: `Add ${missing.join(',')} to NO_PROXY, or start agents with hawser run, which does that.`,
  };
}
