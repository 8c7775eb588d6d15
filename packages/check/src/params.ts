export const NEWEST = '2025-11-25';
export const STATELESS = '2026-07-28';

export function initializeParams(protocolVersion: unknown, capabilities: object = {}): object {
  return { protocolVersion, capabilities, clientInfo: { name: 'hawser-check', version: '1.0.0' } };
}

export function statelessParams(params: object = {}, version: unknown = STATELESS, capabilities: unknown = {}) {
  return {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      'io.modelcontextprotocol/clientInfo': { name: 'hawser-check', version: '1.0.0' },
    },
  };
}
