import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileSimple } from './json-schema.ts';
import { describeProblems } from './problem.ts';

/** What is wrong, in words; '' when nothing is. */
function problemsOf(schema: unknown, value: unknown): string {
  const validate = compileSimple(schema);
  if (validate === undefined) throw new Error('not simple');
  return describeProblems(validate(value), '$');
}

describe('messages', () => {
  test('a value that is cut is not cut inside a character', () => {
    const smile = '😀'.repeat(30);
    expect(problemsOf({ const: smile }, 0)).toBe(`$: expected "${'😀'.repeat(19)}…`);
    expect(problemsOf({ const: `x${smile}` }, 0)).toBe(`$: expected "x${'😀'.repeat(18)}…`);
  });

  test.each<[unknown, unknown, string]>([
    [{ type: 'string' }, 'x', ''],
    [{ type: 'string' }, 1, '$: expected string, got number'],
    [{ type: 'integer' }, 1.5, '$: expected integer, got number'],
    [{ type: 'integer' }, 1.0, ''],
    [{ type: 'number' }, Number.POSITIVE_INFINITY, '$: expected number, got Infinity'],
    [{ type: 'null' }, [], '$: expected null, got array'],
    [{ type: 'object' }, null, '$: expected object, got null'],
    [{ type: 'object' }, [], '$: expected object, got array'],
    [{ type: ['string', 'integer', 'null'] }, true, '$: expected string, integer or null, got boolean'],
    [{ type: ['string', 'null'] }, null, ''],
    [{ type: 'string', enum: ['a'] }, 1, '$: expected string, got number'],
    [true, 1, ''],
    [false, 1, '$: no value is allowed here'],
    [{ enum: ['a', 'b', 3] }, 'c', '$: expected one of "a", "b", 3'],
    [{ enum: [{ a: [1] }] }, { a: [1] }, ''],
    [{ enum: [{ a: [1] }] }, { a: [2] }, '$: expected {"a":[1]}'],
    [{ const: null }, 0, '$: expected null'],
    [{ const: 'x'.repeat(50) }, 0, `$: expected "${'x'.repeat(38)}…`],
    [
      { enum: [...'abcdefghijkl'] },
      0,
      `$: expected one of ${[...'abcdefghij'].map((c) => `"${c}"`).join(', ')} and 2 more`,
    ],
    [{ minimum: 3 }, 2, '$: expected at least 3'],
    [{ maximum: 3 }, 4, '$: expected at most 3'],
    [{ exclusiveMinimum: 3 }, 3, '$: expected more than 3'],
    [{ exclusiveMaximum: 3 }, 3, '$: expected less than 3'],
    [{ minimum: 3 }, 'not a number', ''],
    [{ minLength: 1 }, '', '$: expected at least 1 character'],
    [{ minLength: 2 }, '😀', '$: expected at least 2 characters'],
    [{ maxLength: 1 }, '😀', ''],
    [{ maxLength: 1 }, 'ab', '$: expected at most 1 character'],
    [{ minItems: 2 }, [1], '$: expected at least 2 items'],
    [{ maxItems: 1 }, [1, 2], '$: expected at most 1 item'],
    [
      { items: { type: 'string' } },
      ['a', 1, 'b', 2],
      '$[1]: expected string, got number; $[3]: expected string, got number',
    ],
    [{ properties: { a: { type: 'string' } } }, { a: 1 }, '$.a: expected string, got number'],
    [{ properties: { a: { type: 'string' } } }, {}, ''],
    [{ properties: { a: { type: 'string' } } }, { a: undefined }, ''],
    [{ required: ['a', 'b'] }, { a: 1 }, '$.b: required but missing'],
    [{ required: ['a'] }, { a: undefined }, '$.a: required but missing'],
    [{ properties: { a: true }, additionalProperties: false }, { a: 1, b: 2 }, '$.b: unknown property'],
    [{ additionalProperties: { type: 'string' } }, { 'my key': 2 }, '$["my key"]: expected string, got number'],
  ])('%j, given %j: %s', (schema, value, expected) => {
    expect(problemsOf(schema, value)).toBe(expected);
  });

  test('every problem is reported, each with its own path', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'object', required: ['b'] } }, c: { minimum: 1 } },
    };
    expect(compileSimple(schema)?.({ a: [{}, { b: 1 }, 3], c: 0 })).toEqual([
      { path: ['a', 0, 'b'], message: 'required but missing' },
      { path: ['a', 2], message: 'expected object, got number' },
      { path: ['c'], message: 'expected at least 1' },
    ]);
  });

  test('findings stop at a hundred', () => {
    const wrong = Array.from({ length: 1000 }, () => 1);
    expect(compileSimple({ items: { type: 'string' } })?.(wrong)).toHaveLength(100);
    expect(compileSimple({ additionalProperties: false })?.({ ...wrong })).toHaveLength(100);
  });
});

describe('names of the object prototype are plain names', () => {
  const own: unknown = JSON.parse('{"__proto__":1,"toString":2,"constructor":3}');
  const names = ['__proto__', 'toString', 'constructor'];

  test.each(names)('%s is missing unless it is own', (name) => {
    expect(problemsOf({ required: [name] }, {})).toBe(`$.${name}: required but missing`);
    expect(problemsOf({ required: [name] }, own)).toBe('');
  });

  test.each(names)('%s has the schema given for it, and none otherwise', (name) => {
    const schema: unknown = JSON.parse(`{"properties":{"${name}":{"type":"string"}}}`);
    expect(problemsOf(schema, own)).toBe(`$.${name}: expected string, got number`);
    expect(problemsOf(schema, {})).toBe('');
    expect(problemsOf({ properties: {} }, own)).toBe('');
  });

  test('each is unknown where other properties are refused, unless it is declared', () => {
    expect(problemsOf({ properties: {}, additionalProperties: false }, own)).toBe(
      '$.__proto__: unknown property; $.toString: unknown property; $.constructor: unknown property',
    );
    const declared: unknown = JSON.parse(
      '{"properties":{"__proto__":true,"toString":true,"constructor":true},"additionalProperties":false}',
    );
    expect(problemsOf(declared, own)).toBe('');
  });

  test('each counts when values are compared', () => {
    expect(problemsOf({ const: own }, JSON.parse(JSON.stringify(own)))).toBe('');
    expect(problemsOf({ const: {} }, own)).not.toBe('');
    expect(problemsOf({ const: JSON.parse('{"__proto__":{}}') }, JSON.parse('{"x":{}}'))).not.toBe('');
  });

  test('a keyword with such a name is not simple', () => {
    expect(compileSimple(JSON.parse('{"__proto__":{}}'))).toBeUndefined();
    expect(compileSimple({ toString: {} })).toBeUndefined();
  });
});

describe('what is simple', () => {
  test.each([
    {},
    { $schema: 'https://json-schema.org/draft/2020-12/schema' },
    { $schema: 'http://json-schema.org/draft-07/schema#' },
    { title: 't', description: 'd', default: 1, examples: [1], deprecated: true, readOnly: true, writeOnly: true },
    { $comment: 'c', format: 'email', 'x-order': 3 },
    { type: 'string', minLength: undefined },
  ])('annotations do not matter: %j', (schema) => {
    expect(problemsOf(schema, 'any')).toBe('');
  });

  test.each([
    { $schema: 'http://json-schema.org/draft-04/schema#' },
    { $id: 'https://example.com/x' },
    { $ref: '#' },
    { $defs: {} },
    { pattern: 'a' },
    { anyOf: [{}] },
    { multipleOf: 2 },
    { uniqueItems: true },
    { nullable: true },
    { X: 1 },
    { properties: { a: { items: { additionalProperties: { not: {} } } } } },
  ])('another keyword is left to ajv: %j', (schema) => {
    expect(compileSimple(schema)).toBeUndefined();
  });

  test.each([
    null,
    'string',
    [],
    { type: 'text' },
    { type: [] },
    { type: [1] },
    { enum: [] },
    { enum: 'a' },
    { minimum: '3' },
    { exclusiveMinimum: true },
    { minLength: -1 },
    { maxItems: 1.5 },
    { items: [{}] },
    { properties: [] },
    { properties: { a: 1 } },
    { required: 'a' },
    { required: [1] },
    { additionalProperties: null },
  ])('a keyword with a value that makes no sense is left to ajv: %j', (schema) => {
    expect(compileSimple(schema)).toBeUndefined();
  });

  test('a schema that contains itself is not simple', () => {
    const schema: { items?: unknown } = {};
    schema.items = schema;
    expect(compileSimple(schema)).toBeUndefined();
  });
});

describe('agreement with ajv', () => {
  // Own properties with these names make ajv throw or return nonsense where it compares whole objects.
  const plainNames = fc.constantFrom('a', 'b', 'c');
  const anyNames = fc.constantFrom('a', 'b', 'toString', 'constructor');
  const scalar = fc.oneof(
    fc.constantFrom(
      null,
      true,
      false,
      0,
      -0,
      1,
      2,
      3,
      0.5,
      -1,
      1e300,
      '',
      'a',
      'ab',
      '😀',
      '😀b',
      '\ud83d',
      'toString',
    ),
    fc.jsonValue({ maxDepth: 0 }),
  );

  test('the same values are valid', () => {
    const composite = jsonValue(plainNames, scalar);
    agree(schemaOf(plainNames, composite), composite);
  });

  test('the same values are valid whatever their properties are called', () => {
    // Only in the instance: ajv ignores a property declared as __proto__.
    agree(schemaOf(anyNames, scalar), jsonValue(fc.oneof(anyNames, fc.constant('__proto__')), scalar));
  });
});

function agree(schemas: fc.Arbitrary<object>, values: fc.Arbitrary<unknown>): void {
  const counts = { valid: 0, invalid: 0 };
  fc.assert(
    fc.property(schemas, fc.array(values, { minLength: 5, maxLength: 5 }), (schema, instances) => {
      const ours = compileSimple(schema);
      if (ours === undefined) throw new Error('not simple');
      const options = { strict: false, strictNumbers: true, validateSchema: false, ownProperties: true } as const;
      const theirs = new Ajv2020({ ...options, validateFormats: false, logger: false }).compile(schema);
      for (const instance of instances) {
        const before = JSON.stringify(instance);
        const isValid = ours(instance).length === 0;
        counts[isValid ? 'valid' : 'invalid']++;
        expect(isValid).toBe(theirs(instance));
        expect(JSON.stringify(instance)).toBe(before);
      }
    }),
    { numRuns: 600 },
  );
  expect(counts.valid).toBeGreaterThan(500);
  expect(counts.invalid).toBeGreaterThan(500);
}

function jsonValue(names: fc.Arbitrary<string>, scalar: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));
  return value;
}

/** At most four keywords at each level, or nothing would ever be valid. */
function schemaOf(names: fc.Arbitrary<string>, constants: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object');
  const keyword = (name: string, operand: fc.Arbitrary<unknown>) => fc.tuple(fc.constant(name), operand);
  const flat = [
    keyword('type', fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 4 }))),
    keyword('required', fc.uniqueArray(fc.oneof(names, fc.constant('__proto__')), { maxLength: 2 })),
    keyword('enum', fc.array(constants, { minLength: 1, maxLength: 5 })),
    keyword('const', constants),
    fc.tuple(
      fc.constantFrom('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
      fc.constantFrom(-1, 0, 0.5, 1, 2, 3),
    ),
    fc.tuple(fc.constantFrom('minLength', 'maxLength', 'minItems', 'maxItems'), fc.constantFrom(0, 1, 2, 3)),
    fc.tuple(fc.constantFrom('description', 'format', 'x-note', '$comment'), fc.constantFrom('email', 'uri')),
  ];
  let schemas: fc.Arbitrary<object> = fc.array(fc.oneof(...flat), { maxLength: 3 }).map(Object.fromEntries);
  for (let depth = 0; depth < 3; depth++) {
    const sub = fc.oneof({ weight: 4, arbitrary: schemas }, { weight: 1, arbitrary: fc.boolean() });
    const properties = fc.array(fc.tuple(names, sub), { maxLength: 3 }).map(Object.fromEntries);
    const nested = [keyword('properties', properties), keyword('additionalProperties', sub), keyword('items', sub)];
    schemas = fc.array(fc.oneof(...flat, ...nested, ...nested), { maxLength: 4 }).map(Object.fromEntries);
  }
  return schemas;
}
