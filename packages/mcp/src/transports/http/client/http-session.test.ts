import { expect, it } from 'vitest';
import { HttpSession } from './http-session.ts';
import { Outbound } from './outbound.ts';

it.each([
  ['2025-11-25', { 'MCP-Protocol-Version': '2025-11-25' }],
  ['2025\r\nx: y', {}],
  ['\u2028', {}],
  ['', {}],
  [5, {}],
])('a revision of %j in the response to initialize is sent back as %j', (protocolVersion, headers) => {
  const session = new HttpSession(new Outbound({ jsonrpc: '2.0', id: 1, method: 'initialize' }, undefined));
  session.setVersion({ jsonrpc: '2.0', id: 1, result: { protocolVersion } });
  expect(session.headers()).toEqual(headers);
});
