import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { chosenVariants } from './chosen-variants.ts';
import { type Draft, draftOf, draftValue, newDraft } from './draft.ts';
import { pathInWords, problemsOf } from './schema-problems.ts';
import { partsOf, type Schema, shapeOf, typeInWords } from './schema-shape.ts';

const shapeIn = (schema: Schema, root: Schema = schema) => shapeOf(partsOf(schema), root);
const object = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
});

/** What a form shows for a value, and the value that it gives back. */
function roundTrip(value: unknown, schema: Schema): { readonly draft: Draft; readonly value: unknown } {
  const parts = partsOf(schema);
  const draft = draftOf(value, parts, schema);
  return { draft, value: draftValue(draft, parts, schema).value };
}

/** The problems of a form that shows a value. */
function problemsIn(value: unknown, schema: Schema) {
  const parts = partsOf(schema);
  const draft = draftOf(value, parts, schema);
  const { errors } = new Validator(schema, '2020-12', false).validate(value);
  return problemsOf(errors, chosenVariants(draft, parts, schema));
}

describe('the shape of a schema', () => {
  it.each<[string, Schema, string]>([
    ['a type', { type: 'string' }, 'text'],
    ['an integer', { type: 'integer' }, 'number'],
    ['a boolean', { type: 'boolean' }, 'boolean'],
    ['null', { type: 'null' }, 'null'],
    ['an enum', { enum: [1, 'two', null] }, 'choice'],
    ['a const', { const: { a: 1 } }, 'choice'],
    ['alternatives that are values', { oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] }, 'choice'],
    ['a list', { type: 'array', items: { type: 'string' } }, 'list'],
    ['a list of choices', { type: 'array', items: { enum: ['a', 'b'] } }, 'choices'],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }] }, 'json'],
    ['several types', { type: ['string', 'null'] }, 'variants'],
    ['alternatives', { anyOf: [{ type: 'string' }, { type: 'number' }] }, 'variants'],
    ['alternatives that only require members', { ...object({ a: {} }), anyOf: [{ required: ['a'] }] }, 'object'],
    ['no type but properties', { properties: { a: {} } }, 'object'],
    ['no type but a pattern', { pattern: 'a' }, 'text'],
    ['no type but a minimum', { minimum: 1 }, 'number'],
    ['nothing', {}, 'json'],
    ['a type that does not exist', { type: 'date' }, 'json'],
    ['a reference that leads nowhere', { $ref: '#/$defs/none' }, 'json'],
    ['a reference to elsewhere', { $ref: 'https://example.com/schema' }, 'json'],
    ['a reference to itself', { $ref: '#' }, 'json'],
    ['a malformed reference', { $ref: '#/%E0%A4%A' }, 'json'],
  ])('of %s', (_, schema, kind) => {
    expect(shapeIn(schema).kind).toBe(kind);
  });

  it('follows references and joins what allOf has', () => {
    const root: Schema = {
      $defs: {
        named: object({ name: { type: 'string' } }, ['name']),
        sized: { $anchor: 'size', ...object({ size: { type: 'integer' } }) },
      },
      allOf: [{ $ref: '#/$defs/named' }, { $ref: '#size' }],
    };
    const shape = shapeIn(root);
    expect(shape).toMatchObject({
      kind: 'object',
      members: [
        { name: 'name', isRequired: true, parts: [{ location: '#/allOf/0/$ref/properties/name' }] },
        { name: 'size', isRequired: false, parts: [{ location: '#/allOf/1/$ref/properties/size' }] },
      ],
    });
  });

  it('joins alternatives with what is beside them', () => {
    const shape = shapeIn({ ...object({ id: { type: 'string' } }), oneOf: [object({ a: {} }), object({ b: {} })] });
    if (shape.kind !== 'variants') throw new Error(shape.kind);
    const second = shapeOf(shape.variants[1]?.parts ?? [], {});
    expect(second.kind === 'object' && second.members.map(({ name }) => name)).toEqual(['id', 'b']);
    expect(shape.variants.map(({ label }) => label)).toEqual(['object with a', 'object with b']);
  });

  it('names alternatives by what tells them apart', () => {
    const labels = (anyOf: readonly Schema[]) => {
      const shape = shapeIn({ anyOf, $defs: { Circle: object({}) } });
      return shape.kind === 'variants' ? shape.variants.map(({ label }) => label) : [];
    };
    expect(
      labels([
        { $ref: '#/$defs/Circle' },
        { title: 'Box', type: 'object' },
        object({ kind: { const: 'line' } }),
        { type: 'string' },
        {},
      ]),
    ).toEqual(['Circle', 'Box', 'kind: line', 'string', 'Choice 5']);
  });

  it('has members for names that are no ordinary ones', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"a/b~c #":{"type":"string"}}}',
    ) as Schema;
    const shape = shapeIn(schema);
    expect(shape.kind === 'object' && shape.members.map(({ name }) => name)).toEqual(['__proto__', 'a/b~c #']);
    const { value } = roundTrip(JSON.parse('{"__proto__":"x","a/b~c #":"y"}'), schema);
    expect(JSON.stringify(value)).toBe('{"__proto__":"x","a/b~c #":"y"}');
  });

  it('is said in words', () => {
    expect(typeInWords(partsOf({ type: 'array', items: { type: 'integer' } }), {})).toBe('list of integer');
    expect(typeInWords(partsOf({ type: 'string', format: 'email' }), {})).toBe('email');
  });
});

describe('a form', () => {
  it('begins with defaults, and leaves out what is optional', () => {
    const schema = object(
      { a: { type: 'string' }, b: { type: 'integer', default: 3 }, c: { type: 'array', items: {} } },
      ['a'],
    );
    const draft = newDraft(partsOf(schema), schema);
    expect(draftValue(draft, partsOf(schema), schema)).toEqual({ value: { a: '', b: 3 }, problems: [] });
  });

  it('of a schema that contains itself ends', () => {
    const tree: Schema = {
      $ref: '#/$defs/tree',
      $defs: { tree: object({ child: { $ref: '#/$defs/tree' } }, ['child']) },
    };
    const text = JSON.stringify(newDraft(partsOf(tree), tree));
    expect(text.length).toBeLessThan(2000);
  });

  it.each<[string, unknown, Schema]>([
    [
      'a nested object',
      { a: { b: [1, 2] } },
      object({ a: object({ b: { type: 'array', items: { type: 'number' } } }) }),
    ],
    ['null among types', { a: null }, object({ a: { type: ['string', 'null'] } })],
    [
      'an alternative',
      { s: { kind: 'b', y: 1 } },
      object({
        s: {
          oneOf: [
            object({ kind: { const: 'a' } }, ['kind']),
            object({ kind: { const: 'b' }, y: { type: 'number' } }, ['kind']),
          ],
        },
      }),
    ],
    ['further members', { a: 1, z: 'other' }, object({ a: { type: 'integer' } })],
    ['a value of a wrong type', { a: 'one' }, object({ a: { type: 'integer' } })],
    ['a value that is no object at all', [1, 2], object({ a: {} })],
    ['choices', ['b', 'a'], { type: 'array', items: { enum: ['a', 'b'] } }],
    ['an object as a value of enum', { a: { x: 1 } }, object({ a: { enum: [{ x: 1 }, 2] } })],
  ])('gives back the value that it shows: %s', (_, value, schema) => {
    expect(roundTrip(value, schema).value).toEqual(value);
  });

  it('shows a value that does not fit as JSON', () => {
    const { draft } = roundTrip({ a: 'one' }, object({ a: { type: 'integer' } }));
    expect(draft).toMatchObject({ members: [{ name: 'a', draft: { kind: 'json', text: '"one"' } }] });
  });

  it('chooses the alternative that the value has', () => {
    const schema: Schema = {
      oneOf: [object({ a: { type: 'string' } }, ['a']), object({ b: { type: 'string' } }, ['b']), { type: 'null' }],
    };
    expect(roundTrip({ b: 'x' }, schema).draft).toMatchObject({ kind: 'variants', index: 1 });
    expect(roundTrip(null, schema).draft).toMatchObject({ kind: 'variants', index: 2 });
  });

  it.each<[string, Draft, Schema, string]>([
    ['no number', { kind: 'number', text: ' ' }, { type: 'number' }, 'Enter a number.'],
    ['a word', { kind: 'number', text: 'one' }, { type: 'number' }, 'This is not a number.'],
    ['infinity', { kind: 'number', text: '1e999' }, { type: 'number' }, 'This is not a number.'],
    ['no choice', { kind: 'choice', index: -1 }, { enum: ['a', 'b'] }, 'Choose a value.'],
    ['no JSON', { kind: 'json', text: '' }, {}, 'Enter a JSON value, such as "text", 1, true, [] or {}.'],
  ])('says what is missing: %s', (_, draft, schema, message) => {
    expect(draftValue(draft, partsOf(schema), schema).problems).toEqual([{ path: '#', message }]);
  });
});

describe('what is wrong with a value', () => {
  const shapes = object({
    list: {
      type: 'array',
      items: {
        oneOf: [
          object({ kind: { const: 'a' }, x: { type: 'integer' } }, ['kind', 'x']),
          object({ kind: { const: 'b' }, y: { minimum: 5 } }, ['kind', 'y']),
        ],
      },
    },
  });

  it('is at the field where it is', () => {
    const schema = object(
      { 'a/b': { type: 'string', minLength: 2 }, n: object({ m: { type: 'integer', maximum: 1 } }) },
      ['gone'],
    );
    expect(problemsIn({ 'a/b': 'x', n: { m: 2 } }, schema)).toEqual([
      { path: '#/gone', message: 'It is required.' },
      { path: '#/a~1b', message: 'String is too short (1 < 2).' },
      { path: '#/n/m', message: '2 is greater than 1.' },
    ]);
  });

  it('is that of the alternative that the user chose, for each item of a list', () => {
    const value = {
      list: [
        { kind: 'b', y: 1 },
        { kind: 'a', x: 'one' },
      ],
    };
    expect(problemsIn(value, shapes)).toEqual([
      { path: '#/list/0/y', message: '1 is less than 5.' },
      { path: '#/list/1/x', message: 'The value type "string" is invalid. Expected "integer".' },
    ]);
  });

  it('is that no alternative matches, if that is all there is to say', () => {
    const errors = new Validator({ anyOf: [{ type: 'string' }, { type: 'null' }] }, '2020-12', false).validate(
      1,
    ).errors;
    expect(problemsOf(errors, []).map(({ message }) => message)).toContain(
      'The value type "number" is invalid. Expected "string".',
    );
    expect(
      problemsOf(
        errors.filter(({ keyword }) => keyword === 'anyOf'),
        [],
      ),
    ).toEqual([{ path: '#', message: 'It matches none of the alternatives.' }]);
  });

  it('has a place in words', () => {
    expect(pathInWords('#/a/0/b%20c~1d')).toBe('a[0].b c/d');
    expect(pathInWords('#')).toBe('');
    expect(pathInWords('#/%E0%A4%A')).toBe('%E0%A4%A');
  });
});
