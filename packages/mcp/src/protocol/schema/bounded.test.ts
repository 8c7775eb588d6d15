import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Checked, prepareSchema } from './validate.ts';

/** As many small values as a message within the default limits can hold. */
const CROWD = 290_000;

const BRANCHES = Array.from({ length: 16 }, (_, index) => ({
  type: 'object',
  properties: { kind: { const: index }, name: { type: 'string' } },
  required: ['kind', 'name'],
}));

/** Far more than the limit and far less than the 15 s that the first case once took. */
const SOON_MS = 5000;

async function timed(check: () => Checked | Promise<Checked>): Promise<{ checked: Checked; milliseconds: number }> {
  const start = performance.now();
  const checked = await check();
  return { checked, milliseconds: performance.now() - start };
}

describe('a check takes bounded time and memory', () => {
  test('for a long array against many alternatives', async () => {
    const schema = { type: 'array', items: { oneOf: BRANCHES } };
    const { check } = prepareSchema(schema);
    const before = process.memoryUsage().rss;
    const { checked, milliseconds } = await timed(() => check(new Array(CROWD).fill(1)));
    expect(checked.ok).toBe(false);
    expect(milliseconds).toBeLessThan(SOON_MS);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  test('for a long array of different objects that must be unique', async () => {
    const { check } = prepareSchema({ type: 'array', uniqueItems: true });
    const { checked, milliseconds } = await timed(() => check(Array.from({ length: CROWD / 2 }, (_, at) => ({ at }))));
    expect(checked).toMatchObject({ ok: false, problems: [{ message: expect.stringContaining('took more than') }] });
    expect(milliseconds).toBeLessThan(SOON_MS);
  });

  test('for a pattern that backtracks', async () => {
    const { check } = prepareSchema({ type: 'string', pattern: '^(a+)+$' });
    const { checked, milliseconds } = await timed(() => check(`${'a'.repeat(60)}b`));
    expect(checked).toMatchObject({ ok: false, problems: [{ message: expect.stringContaining('took more than') }] });
    expect(milliseconds).toBeLessThan(SOON_MS);
  });

  test('for a schema that refers to itself in two alternatives', async () => {
    const node = { $ref: '#/$defs/node' };
    const schema = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          anyOf: [
            { type: 'object', properties: { next: node, a: { type: 'string' } }, required: ['next', 'a'] },
            { type: 'object', properties: { next: node, b: { type: 'string' } }, required: ['next', 'b'] },
          ],
        },
      },
    };
    let value: object = { a: 1, b: 1 };
    for (let depth = 0; depth < 60; depth += 1) value = { next: value, a: 'x', b: 'x' };
    const { checked, milliseconds } = await timed(() => prepareSchema(schema).check(value));
    expect(checked.ok).toBe(false);
    expect(milliseconds).toBeLessThan(SOON_MS);
  });

  test('for a large value and a schema of another library', async () => {
    const slow = z.array(z.unknown()).refine((items) => {
      for (let at = 0; at < 1e12; at += 1) if (items.length === -1) return false;
      return true;
    });
    const { checked, milliseconds } = await timed(() => prepareSchema(slow).check(new Array(CROWD).fill(1)));
    expect(checked).toMatchObject({ ok: false, problems: [{ message: expect.stringContaining('took more than') }] });
    expect(milliseconds).toBeLessThan(SOON_MS);
  });
});

test('a small value still gets all of its problems', async () => {
  const { check } = prepareSchema({ type: 'object', required: ['a', 'b'], anyOf: [{}] });
  const checked = await check({});
  expect(checked).toMatchObject({ ok: false, problems: [{ path: ['a'] }, { path: ['b'] }] });
});

test('a large value gets its first problem', async () => {
  const { check } = prepareSchema({ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } });
  const checked = await check(['x', 1, ...new Array(5000).fill('x'), 2]);
  expect(checked).toMatchObject({
    ok: false,
    problems: [{ path: [1], message: 'expected string or null, got number' }],
  });
});
