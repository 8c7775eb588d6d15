import type { Responder, Revision } from '../../revision.ts';
import { revision20251125 } from '../2025-11-25/revision.ts';

/** Stateless: no handshake, no requests to the client; each result says of what kind it is. Tools return any JSON value. */
export const revision20260728: Revision = {
  ...revision20251125,
  version: '2026-07-28',
  requests: new Map<string, Responder>([
    ['server/discover', 'server'],
    ['subscriptions/listen', 'server'],
    ['tools/list', 'server'],
    ['tools/call', 'server'],
    ['resources/list', 'server'],
    ['resources/templates/list', 'server'],
    ['resources/read', 'server'],
    ['prompts/list', 'server'],
    ['prompts/get', 'server'],
    ['completion/complete', 'server'],
    ['tasks/get', 'server'],
    ['tasks/update', 'server'],
    ['tasks/cancel', 'server'],
  ]),
  resourceNotFoundCode: -32602,
  shape: {
    ...revision20251125.shape,
    tool: (tool) => tool,
    toolResult: (result) => result,
    elicitation: (params) => params,
  },
  structuredContent: 'any',
  stateless: true,
};
