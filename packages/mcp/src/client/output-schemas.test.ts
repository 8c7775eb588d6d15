import { describe, expect, it } from 'vitest';
import { connect, failure, SESSION, tool } from '../../testing/client-session.ts';
import { processorTime } from '../../testing/processor-time.ts';
import type { ClientOptions } from './client.ts';

describe('an outputSchema', () => {
  const call = async (outputSchema: unknown, structuredContent: unknown, options: ClientOptions = {}) => {
    const { session } = await connect(
      SESSION,
      ({ method }) =>
        method === 'tools/list'
          ? { result: { tools: [tool({ outputSchema })] } }
          : { result: { content: [], structuredContent } },
      options,
    );
    await session.listTools();
    return session;
  };
  const text = { text: `${'a'.repeat(40)}b` };

  it('that refers to itself is a clear error', async () => {
    const session = await call({ $ref: '#' }, {});
    expect(await failure(session.callTool('t'))).toBe(
      'The outputSchema of tool t cannot be used: Maximum call stack size exceeded',
    );
  });

  it('that is nested without end is a clear error', async () => {
    let schema: object = {};
    for (let depth = 0; depth < 900; depth += 1) schema = { items: schema };
    const session = await call({ ...schema, $ref: '#/nowhere' }, {});
    expect(await failure(session.callTool('t'))).toMatch(/^The outputSchema of tool t cannot be used: /);
  });

  it.each([
    ['pattern', { properties: { text: { pattern: '^(a+)+$' } } }, text],
    ['patternProperties', { patternProperties: { '^(a+)+$': true } }, { [text.text]: 1 }],
    [
      'alternatives',
      {
        $defs: Object.fromEntries(
          Array.from({ length: 40 }, (_, n) => [
            `d${n}`,
            { anyOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
          ]).concat([['d40', false as never]]),
        ),
        $ref: '#/$defs/d0',
      },
      {},
    ],
    [
      'uniqueItems',
      { properties: { list: { uniqueItems: true } } },
      { list: Array.from({ length: 50_000 }, (_, n) => ({ n })) },
    ],
  ])('whose %s takes long is given up in time, and not tried again', async (_, schema, content) => {
    const session = await call({ type: 'object', ...schema }, content, { limits: { maxSchemaMs: 600 } });
    const message = 'The outputSchema of tool t cannot be used: checking it took more than 600 ms (limit maxSchemaMs)';
    const start = processorTime();
    expect(await failure(session.callTool('t'))).toBe(message);
    expect(processorTime() - start).toBeLessThan(2500);
    const between = processorTime();
    expect(await failure(session.callTool('t'))).toBe(message);
    expect(processorTime() - between).toBeLessThan(500);
  });

  // Each is valid for its content, so that no list of problems ends the check early.
  it.each([
    [
      'names one required property many times',
      { properties: { list: { items: { type: 'object', required: Array.from({ length: 100_000 }, () => 'a') } } } },
      { list: Array.from({ length: 20_000 }, () => ({ a: 1 })) },
    ],
    [
      'allows a huge object and an empty one',
      {
        properties: {
          list: { items: { enum: [Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, n])), {}] } },
        },
      },
      { list: Array.from({ length: 20_000 }, () => ({})) },
    ],
  ])('that %s is checked, or given up, in time', async (_, schema, content) => {
    const session = await call({ type: 'object', ...schema }, content, { limits: { maxSchemaMs: 300 } });
    const since = processorTime();
    await session.callTool('t').catch(() => {});
    expect(processorTime() - since).toBeLessThan(2500);
  });

  it('with patterns that end in time is checked', async () => {
    const session = await call({ type: 'object', properties: { text: { pattern: '^(?!b)a+b$' } } }, text);
    expect(await session.callTool('t')).toEqual({ content: [], structuredContent: text });
    const other = await call({ type: 'object', properties: { text: { pattern: '^x' } } }, text);
    expect(await failure(other.callTool('t'))).toBe(
      'The result of tool t does not match its outputSchema: structuredContent.text: expected a match of ^x',
    );
  });
});
