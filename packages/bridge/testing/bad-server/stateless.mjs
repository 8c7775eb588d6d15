// Requests of revision 2026-07-28.
import { capabilitiesOf, catalog } from './catalog.mjs';

const VERSION = '2026-07-28';

export function answerStateless(rule, id, method, params) {
  const {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  } = params._meta;
  const failed = (code, data) => ({ jsonrpc: '2.0', id, error: { code, message: 'Refused', ...(data && { data }) } });
  const done = (result) => ({
    jsonrpc: '2.0',
    id,
    result: { ...(rule !== 'stateless-result-type' && { resultType: 'complete' }), ...result },
  });
  if (version !== VERSION) {
    return rule === 'stateless-version-unknown'
      ? failed(-32602)
      : failed(-32022, { supported: [VERSION], requested: version });
  }
  if (capabilities === undefined && rule !== 'stateless-capabilities-missing') return failed(-32602);
  if (method === 'server/discover') {
    const supportedVersions = rule === 'stateless-discover' ? VERSION : [VERSION, '2025-11-25'];
    return done({ supportedVersions, capabilities: capabilitiesOf(rule) });
  }
  const outcome = catalog(rule, method, params);
  if (outcome === undefined) return failed(rule === 'stateless-unknown-method' ? -32603 : -32601);
  if (outcome.error !== undefined) return failed(outcome.error);
  return done(rule === 'stateless-list-caching' ? outcome : { ttlMs: 0, cacheScope: 'private', ...outcome });
}
