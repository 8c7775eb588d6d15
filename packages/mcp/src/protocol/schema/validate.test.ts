import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  type Check,
  type Checked,
  describeProblems,
  type JsonSchema,
  prepareSchema,
  requireObjectSchema,
} from './validate.ts';

async function wordsOf(check: Check, value: unknown): Promise<string> {
  const checked = await check(value);
  return checked.ok ? '' : describeProblems(checked.problems, '$');
}

describe('a JSON Schema', () => {
  test('that is simple is checked synchronously, and the value stays as it is', () => {
    const { json, check } = prepareSchema({ type: 'object', properties: { a: { type: 'string', default: 'x' } } });
    expect(json).toEqual({ type: 'object', properties: { a: { type: 'string', default: 'x' } } });
    const value = {};
    expect(check(value)).toEqual({ ok: true, value: {} });
    expect((check(value) as Checked & { ok: true }).value).toBe(value);
    expect(check({ a: 1 })).toEqual({ ok: false, problems: [{ path: ['a'], message: 'expected string, got number' }] });
  });

  test('that is not simple is checked by a promise at first and synchronously once ajv is there', async () => {
    const { check } = prepareSchema({ type: 'string', pattern: '^a+$' });
    const first = check('aa');
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toEqual({ ok: true, value: 'aa' });
    expect(check('b')).toEqual({ ok: false, problems: [{ path: [], message: 'expected a match of ^a+$' }] });
  });

  test('is listed as described when a description is given', () => {
    expect(prepareSchema({ type: 'object' }, { type: 'object', title: 't' }).json).toEqual({
      type: 'object',
      title: 't',
    });
  });

  test('with defaults leaves the value alone under ajv too', async () => {
    const value = {};
    const checked = await prepareSchema({ allOf: [{ properties: { a: { default: 1 } } }] }).check(value);
    expect(checked).toEqual({ ok: true, value: {} });
  });

  test('with a format does not assert it under ajv either', async () => {
    expect(await wordsOf(prepareSchema({ allOf: [{ format: 'email' }] }).check, 'no')).toBe('');
  });
});

describe('the words for ajv errors', () => {
  // `allOf` or another keyword outside the simple subset makes each of these go to ajv.
  test.each<[JsonSchema, unknown, string]>([
    [{ allOf: [{ type: 'string' }] }, 1, '$: expected string, got number'],
    [{ allOf: [{ type: ['string', 'null'] }] }, 1, '$: expected string or null, got number'],
    [{ allOf: [{ type: 'integer' }] }, Number.NaN, '$: expected integer, got NaN'],
    [{ allOf: [{ type: 'number' }] }, Number.POSITIVE_INFINITY, '$: expected number, got Infinity'],
    [{ allOf: [{ enum: ['a', 'b'] }] }, 1, '$: expected one of "a", "b"'],
    [{ allOf: [{ const: 'a' }] }, 1, '$: expected "a"'],
    [{ allOf: [{ minimum: 1 }] }, 0, '$: expected at least 1'],
    [{ allOf: [{ maximum: 1 }] }, 2, '$: expected at most 1'],
    [{ allOf: [{ exclusiveMinimum: 1 }] }, 1, '$: expected more than 1'],
    [{ allOf: [{ exclusiveMaximum: 1 }] }, 1, '$: expected less than 1'],
    [{ allOf: [{ minLength: 1 }] }, '', '$: expected at least 1 character'],
    [{ allOf: [{ maxLength: 2 }] }, 'abc', '$: expected at most 2 characters'],
    [{ allOf: [{ minItems: 1 }] }, [], '$: expected at least 1 item'],
    [{ allOf: [{ maxItems: 1 }] }, [1, 2], '$: expected at most 1 item'],
    [{ prefixItems: [true], items: false }, [1, 2], '$: expected at most 1 item'],
    [{ prefixItems: [true], unevaluatedItems: false }, [1, 2], '$: expected at most 1 item'],
    [{ prefixItems: [true, { type: 'string' }] }, [1, 2], '$[1]: expected string, got number'],
    [{ minProperties: 2 }, {}, '$: expected at least 2 properties'],
    [{ maxProperties: 1 }, { a: 1, b: 2 }, '$: expected at most 1 property'],
    [{ allOf: [{ required: ['a'] }] }, {}, '$.a: required but missing'],
    [{ allOf: [{ required: ['toString'] }] }, {}, '$.toString: required but missing'],
    [{ allOf: [{ additionalProperties: false }] }, { 'a b': 1 }, '$["a b"]: unknown property'],
    [{ unevaluatedProperties: false }, { a: 1 }, '$.a: unknown property'],
    [{ patternProperties: { '^a': { type: 'string' } } }, { 'a/~b': 1 }, '$["a/~b"]: expected string, got number'],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, '$.ab: property name not allowed'],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, '$.b: required with a but missing'],
    [{ multipleOf: 3 }, 4, '$: expected a multiple of 3'],
    [{ pattern: `^${'a'.repeat(60)}$` }, 'b', `$: expected a match of ^${'a'.repeat(38)}…`],
    [{ uniqueItems: true }, [1, 2, 1], '$[2]: expected to differ from item 0'],
    [{ contains: { type: 'string' } }, [1, 2], '$: expected at least 1 fitting items'],
    [{ contains: { const: 1 }, maxContains: 1 }, [1, 1], '$: expected at least 1 and at most 1 fitting items'],
    [{ if: { type: 'number' }, else: false }, 'a', '$: no value is allowed here'],
    [{ not: {} }, 1, '$: excluded by the schema'],
    [{ allOf: [false] }, 1, '$: no value is allowed here'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, '$: expected string or null, got number'],
    [{ oneOf: [{ type: 'string' }, { type: 'null' }] }, 1, '$: expected string or null, got number'],
    [{ oneOf: [{}, {}] }, 1, '$: fits more than one of the alternatives'],
    [
      { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      {},
      '$.a: required but missing; $.b: required but missing; $: fits none of the alternatives',
    ],
    [{ $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, 1, '$: expected string, got number'],
    [{ $id: 'https://example.com/a', type: 'string' }, 1, '$: expected string, got number'],
    [
      { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }], additionalItems: false },
      [1, 2],
      '$: expected at most 1 item; $[0]: expected string, got number',
    ],
    [
      { $schema: 'https://json-schema.org/draft/2019-09/schema', items: [{ type: 'string' }] },
      [1],
      '$[0]: expected string, got number',
    ],
  ])('%j, given %j: %s', async (schema, value, expected) => {
    expect(await wordsOf(prepareSchema(schema).check, value)).toBe(expected);
  });

  test('a path through an array has numbers and a path through an object has names', async () => {
    const checked = await prepareSchema({ allOf: [{ properties: { 0: { items: { type: 'string' } } } }] }).check({
      0: [1],
    });
    expect(checked).toEqual({ ok: false, problems: [{ path: ['0', 0], message: 'expected string, got number' }] });
  });

  test('findings stop at a hundred', async () => {
    const checked = await prepareSchema({ allOf: [{ items: { type: 'string' } }] }).check(Array(900).fill(1));
    expect(checked.ok ? 0 : checked.problems.length).toBe(100);
  });

  test('two schemas with the same $id do not meet', async () => {
    const id = { $id: 'https://example.com/same' };
    expect(await wordsOf(prepareSchema({ ...id, type: 'string' }).check, 'a')).toBe('');
    expect(await wordsOf(prepareSchema({ ...id, type: 'number' }).check, 1)).toBe('');
  });
});

describe('a JSON Schema that cannot be used', () => {
  test.each<[JsonSchema, string]>([
    [{ $ref: '#/$defs/none' }, "The JSON Schema cannot be compiled: can't resolve reference #/$defs/none from id #"],
    [
      { $ref: 'https://example.com/other.json' },
      "The JSON Schema cannot be compiled: can't resolve reference https://example.com/other.json from id #",
    ],
    [{ pattern: '(' }, 'The JSON Schema cannot be compiled: Invalid regular expression: /(/u: Unterminated group'],
    [{ type: 'text' }, 'The JSON Schema cannot be compiled: type must be JSONType or JSONType[]: text'],
    [{ $async: true }, 'The JSON Schema cannot be compiled: $async is not JSON Schema'],
    [
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      'Unsupported JSON Schema dialect: http://json-schema.org/draft-04/schema#',
    ],
  ])('%j rejects every check and says why', async (schema, message) => {
    const { check } = prepareSchema(schema);
    await expect(check({})).rejects.toThrow(new Error(message));
    await expect(check({})).rejects.toThrow(new Error(message));
  });

  test('is not noticed before the first check', () => {
    expect(prepareSchema({ $ref: '#/none' }).json).toEqual({ $ref: '#/none' });
  });

  test('because a value nests too deeply for it rejects as well', async () => {
    const { check } = prepareSchema({ $ref: '#/$defs/a', $defs: { a: { items: { $ref: '#/$defs/a' } } } });
    expect(await check([[]])).toEqual({ ok: true, value: [[]] });
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    await expect(check(deep)).rejects.toThrow(RangeError);
  });
});

describe('a zod schema', () => {
  const schema = z.object({
    text: z.string().min(1),
    size: z.number().default(7),
    tags: z.array(z.enum(['a', 'b'])).optional(),
  });

  test('is listed by its input', () => {
    expect(prepareSchema(schema).json).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        text: { type: 'string', minLength: 1 },
        size: { type: 'number', default: 7 },
        tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      },
      required: ['text'],
    });
  });

  test('is checked synchronously and gives its output', () => {
    expect(prepareSchema(schema).check({ text: 'x', extra: 1 })).toEqual({ ok: true, value: { text: 'x', size: 7 } });
  });

  test('reports where and what', () => {
    expect(prepareSchema(schema).check({ text: 1, tags: ['a', 'c'] })).toEqual({
      ok: false,
      problems: [
        { path: ['text'], message: 'Invalid input: expected string, received number' },
        { path: ['tags', 1], message: 'Invalid option: expected one of "a"|"b"' },
      ],
    });
  });

  test('with an asynchronous refinement is checked by a promise', async () => {
    const { check } = prepareSchema(z.object({ a: z.string().refine(async (text) => text === 'x', 'not x') }));
    expect(check({ a: 'x' })).toBeInstanceOf(Promise);
    expect(await check({ a: 'x' })).toEqual({ ok: true, value: { a: 'x' } });
    expect(await wordsOf(check, { a: 'y' })).toBe('$.a: not x');
  });

  test('that JSON Schema cannot express needs a description', () => {
    const dated = z.object({ at: z.date() });
    expect(() => prepareSchema(dated)).toThrow(
      new TypeError('This zod schema cannot be described as JSON Schema (Date cannot be represented in JSON Schema)'),
    );
    expect(prepareSchema(dated, { type: 'object' }).json).toEqual({ type: 'object' });
  });
});

describe('a valibot schema', () => {
  const schema = v.object({ text: v.pipe(v.string(), v.toUpperCase()), list: v.optional(v.array(v.number())) });
  const described = { type: 'object', properties: { text: { type: 'string' } } };

  test('needs a description', () => {
    expect(() => prepareSchema(schema)).toThrow(
      new TypeError('A schema of valibot cannot describe itself as JSON Schema'),
    );
    expect(prepareSchema(schema, described).json).toBe(described);
  });

  test('gives its output, and reports where and what', async () => {
    const { check } = prepareSchema(schema, described);
    expect(check({ text: 'x' })).toEqual({ ok: true, value: { text: 'X' } });
    expect(await wordsOf(check, { text: 1, list: [1, 'b'] })).toBe(
      '$.text: Invalid type: Expected string but received 1; $.list[1]: Invalid type: Expected number but received "b"',
    );
  });

  test('does not echo a long value', async () => {
    const { check } = prepareSchema(schema, described);
    for (const unit of ['x', '"', '$&']) {
      const words = await wordsOf(check, { text: 'a', list: [unit.repeat(1000)] });
      expect(words).toMatch(/^\$\.list\[0\]: Invalid type: Expected number but received ".{38,39}…"{1,2}$/);
    }
  });
});

describe('any Standard Schema', () => {
  const standard = (validate: (value: unknown) => unknown) =>
    ({ '~standard': { version: 1, vendor: 'own', validate } }) as unknown as Parameters<typeof prepareSchema>[0];

  test('may be a function', () => {
    const callable = Object.assign(
      () => {},
      standard((value) => ({ value })),
    );
    expect(prepareSchema(callable, {}).check(1)).toEqual({ ok: true, value: 1 });
  });

  test('may respond with any thenable', async () => {
    const thenable = Object.fromEntries([['then', (done: (result: unknown) => void) => done({ issues: [] })]]);
    const { check } = prepareSchema(
      standard(() => thenable),
      {},
    );
    expect(await check(1)).toEqual({ ok: false, problems: [{ path: [], message: 'invalid' }] });
  });

  test('that throws makes the check reject', async () => {
    const { check } = prepareSchema(
      standard(() => JSON.parse('{')),
      {},
    );
    await expect(check(1)).rejects.toThrow(SyntaxError);
  });

  test('may name places by symbol or by segment', async () => {
    const issues = [{ message: 'bad', path: [Symbol('s'), { key: 'k' }, 0] }];
    expect(
      await wordsOf(
        prepareSchema(
          standard(() => ({ issues })),
          {},
        ).check,
        1,
      ),
    ).toBe('$["Symbol(s)"].k[0]: bad');
  });

  test('that finds more than a hundred issues is cut there', async () => {
    const issues = Array.from({ length: 1000 }, () => ({ message: 'bad' }));
    const { check } = prepareSchema(
      standard(() => ({ issues })),
      {},
    );
    const checked = await check(1);
    expect(checked.ok ? 0 : checked.problems.length).toBe(100);
  });

  test('without validate is refused', () => {
    const broken = { '~standard': { version: 1, vendor: 'own' } };
    expect(() => prepareSchema(broken)).toThrow(
      new TypeError('A schema must be a JSON Schema object or a Standard Schema'),
    );
  });
});

describe('requireObjectSchema', () => {
  test('takes a schema of type object as it is, and an empty one as that', () => {
    const json = { type: 'object', title: 't' };
    expect(requireObjectSchema(json, 'The input schema of tool x')).toBe(json);
    expect(requireObjectSchema({}, 'The input schema of tool x')).toEqual({ type: 'object' });
  });

  test.each<[JsonSchema, string]>([
    [{ type: 'string' }, '"string"'],
    [{ type: ['object'] }, '["object"]'],
    [{ properties: {} }, 'no type'],
    [{ anyOf: [{ type: 'object' }] }, 'no type'],
  ])('refuses %j', (json, got) => {
    expect(() => requireObjectSchema(json, 'The input schema of tool x')).toThrow(
      new TypeError(`The input schema of tool x must have type "object" at its root, got ${got}`),
    );
  });
});

describe('describeProblems', () => {
  test('names the first five and counts the rest', () => {
    const problems = Array.from({ length: 8 }, (_, index) => ({ path: ['a', index], message: 'bad' }));
    expect(describeProblems(problems, 'arguments')).toBe(
      'arguments.a[0]: bad; arguments.a[1]: bad; arguments.a[2]: bad; arguments.a[3]: bad; arguments.a[4]: bad; and 3 more',
    );
  });

  test('cuts a long property name and does without a root', () => {
    expect(describeProblems([{ path: ['x'.repeat(100)], message: 'bad' }], 'a')).toBe(`a["${'x'.repeat(38)}…]: bad`);
    expect(describeProblems([{ path: ['a', 'b'], message: 'bad' }], '')).toBe('a.b: bad');
    expect(describeProblems([{ path: [], message: 'bad' }], '')).toBe('bad');
  });
});
