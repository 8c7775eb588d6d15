import { Session } from 'node:inspector/promises';
import { describe, expect, it } from 'vitest';
import { serve } from '../../../../testing/serve.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The source files of which a function runs while the work is done. */
async function filesThatRun(work: () => Promise<unknown>): Promise<string[]> {
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  try {
    await inspector.post('Profiler.takePreciseCoverage'); // starts the counts anew
    await work();
    const { result } = await inspector.post('Profiler.takePreciseCoverage');
    const ran = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0));
    const files = ran.flatMap(({ url }) => /packages\/mcp\/src\/([\w./-]+\.ts)/.exec(url)?.[1] ?? []);
    return files.filter((file) => !file.endsWith('.test.ts')).sort();
  } finally {
    await inspector.post('Profiler.stopPreciseCoverage');
    inspector.disconnect();
  }
}

describe('a stateless call over HTTP', () => {
  it('runs code of these 20 files, in all', async () => {
    const { http } = await serve();
    const call = async () => {
      const response = await http.post(
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'echo', arguments: { text: 'hello' }, _meta: META },
        },
        { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'echo' },
      );
      expect(response.status).toBe(200);
    };
    await call(); // what is made once is made
    expect(await filesThatRun(call)).toEqual([
      'jsonrpc/codec.ts',
      'jsonrpc/in-flight.ts',
      'jsonrpc/thenable.ts',
      'protocol/revisions/2026-07-28/revision.ts',
      'protocol/revisions/all.ts',
      'protocol/schema/json-schema.ts',
      'protocol/schema/validate.ts',
      'protocol/stateless.ts',
      'server/context.ts',
      'server/dispatch.ts',
      'server/features/listing.ts',
      'server/features/tools.ts',
      'server/methods.ts',
      'server/server.ts',
      'server/stateless/stateless-requests.ts',
      'transports/http/server/endpoint.ts',
      'transports/http/server/node/node-call.ts',
      'transports/http/server/node/serve.ts',
      'transports/http/server/responses/response-stream.ts',
      'transports/http/server/responses/stateless-http-response.ts',
    ]);
  });
});
