import { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { serve } from '../../../../testing/serve.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The source files on the call stack. */
function filesOnStack(): string[] {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = before;
  return [...stack.matchAll(/packages\/mcp\/src\/([\w./-]+\.ts)/g)].map(([, file]) => file ?? '');
}

describe('a stateless call over HTTP', () => {
  it('passes through these 11 files on its way to the handler and back', async () => {
    const { http, server } = await serve();
    const files = new Set<string>();
    const note = () => {
      for (const file of filesOnStack()) files.add(file);
    };
    server.tool({ name: 'traced' }, () => {
      note();
      return 'done';
    });
    // The body is read on the next tick, which starts a new stack.
    const nextTick = process.nextTick;
    const tick = vi.spyOn(process, 'nextTick').mockImplementation((...args) => {
      note();
      return nextTick(...args);
    });
    const original = ServerResponse.prototype.end;
    const end = vi.spyOn(ServerResponse.prototype, 'end').mockImplementation(function (this: ServerResponse) {
      note();
      return (original as () => ServerResponse).call(this);
    });
    try {
      const answer = await http.post(
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'traced', _meta: META } },
        { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'traced' },
      );
      expect(answer.status).toBe(200);
    } finally {
      tick.mockRestore();
      end.mockRestore();
    }
    files.delete('transports/http/server/path-of-a-call.test.ts');
    expect([...files].sort()).toEqual([
      'server/features/tools.ts',
      'server/server.ts',
      'server/stateless/answer.ts',
      'server/stateless/stateless-request.ts',
      'transports/http/server/answer-stream.ts',
      'transports/http/server/endpoint.ts',
      'transports/http/server/node/handler.ts',
      'transports/http/server/node/node-call.ts',
      'transports/http/server/node/read-body.ts',
      'transports/http/server/node/serve.ts',
      'transports/http/server/stateless-exchange.ts',
    ]);
  });
});
