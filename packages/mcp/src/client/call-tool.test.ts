import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import * as scripted from '../../testing/client-session.ts';
import { DISCOVERED, scriptedServer } from '../../testing/scripted-server.ts';
import type { CallToolResult } from '../protocol/types.ts';
import { Client } from './client.ts';

async function connect(result: object) {
  const { connection } = scriptedServer(({ method }) => ({
    result: method === 'server/discover' ? DISCOVERED : result,
  }));
  return new Client({ name: 'c', version: '1' }).connect(connection);
}

describe('callTool with an outputSchema', () => {
  const outputSchema = z.object({ n: z.number(), unit: z.string().default('m') });

  it('types and reads the structured content by a Standard Schema', async () => {
    const session = await connect({ content: [], structuredContent: { n: 1 } });
    const { structuredContent } = await session.callTool('t', {}, { outputSchema });
    expectTypeOf(structuredContent).toEqualTypeOf<{ n: number; unit: string } | undefined>();
    expect(structuredContent).toEqual({ n: 1, unit: 'm' });
  });

  it('rejects when the content does not fit', async () => {
    const session = await connect({ content: [], structuredContent: { n: 'one' } });
    await expect(session.callTool('t', {}, { outputSchema })).rejects.toThrow(
      'The result of tool t does not match its outputSchema: structuredContent.n',
    );
  });

  it('takes a JSON Schema too, and leaves the type as it is', async () => {
    const session = await connect({ content: [], structuredContent: { n: 'one' } });
    const json = { type: 'object', properties: { n: { type: 'number' } } };
    const call = session.callTool('t', {}, { outputSchema: json });
    expectTypeOf(call).toEqualTypeOf<Promise<CallToolResult>>();
    await expect(call).rejects.toThrow(
      'The result of tool t does not match its outputSchema: structuredContent.n: expected number, got string',
    );
  });

  it('does not check what a failed tool returns', async () => {
    const failed = { content: [{ type: 'text', text: 'no' }], isError: true };
    const session = await connect(failed);
    expect(await session.callTool('t', {}, { outputSchema })).toEqual(failed);
  });
});

describe('structured content', () => {
  const values = [[1, 2], 'text', 7, true, null];
  const call = async (version: string, structuredContent: unknown, outputSchema?: object) => {
    const { session } = await scripted.connect(version, ({ method }) =>
      method === 'tools/list'
        ? { result: { tools: [scripted.tool({ outputSchema })] } }
        : { result: { content: [], structuredContent } },
    );
    if (outputSchema !== undefined) await session.listTools();
    return session.callTool('t');
  };

  it.each(values)('of a stateless server may be any JSON value: %j', async (value) => {
    expect(await call(scripted.STATELESS, value)).toEqual({ content: [], structuredContent: value });
  });

  it('that is an array is checked against the outputSchema', async () => {
    const outputSchema = { type: 'array', items: { type: 'number' } };
    expect((await call(scripted.STATELESS, [1, 2], outputSchema)).structuredContent).toEqual([1, 2]);
    expect(await scripted.failure(call(scripted.STATELESS, ['one'], outputSchema))).toBe(
      'The result of tool t does not match its outputSchema: structuredContent[0]: expected number, got string',
    );
  });

  it.each(values)('of a session must be an object: %j', async (value) => {
    expect(await scripted.failure(call(scripted.SESSION, value))).toMatch(
      /^The server's response to tools\/call is malformed: structuredContent must be an object, got /,
    );
  });
});
