import { describe, expect, it } from 'vitest';
import { Schemas } from './schemas.ts';

const schemas = new Schemas();
const NEW = '2025-11-25';
const property = (schema: object) => ({ type: 'object', properties: { a: schema } });

describe('a schema is valid', () => {
  it.each([
    [
      'with a pattern that only a regular expression without the flag "u" allows',
      property({ pattern: '^[\\w-\\.]+$' }),
    ],
    ['with a pattern that only the flag "u" gives its meaning', property({ pattern: '^\\p{L}+$' })],
    ['with a reference to another document', property({ $ref: 'https://example.com/other.json#/definitions/a' })],
    ['with a reference into itself', { ...property({ $ref: '#/$defs/b' }), $defs: { b: { type: 'string' } } }],
    ['in a dialect that is not known here', { ...property({ type: 'nonsense' }), $schema: 'http://example.com/own#' }],
    [
      'in draft-07, if it says so',
      { ...property({ items: [{}] }), $schema: 'http://json-schema.org/draft-07/schema#' },
    ],
    ['with an unknown keyword and an unknown format', property({ type: 'string', format: 'mood', 'x-own': 1 })],
  ])('%s', (_, schema) => {
    expect(schemas.flawOf(schema, NEW)).toBeUndefined();
  });

  it('in draft-07 without saying so, under a revision that names no dialect', () => {
    const schema = property({ items: [{ type: 'string' }] });
    expect(schemas.flawOf(schema, '2025-06-18')).toBeUndefined();
    expect(schemas.flawOf(schema, NEW)).toMatch(/items/);
  });
});

describe('a schema is not valid', () => {
  it.each([
    ['with a type that does not exist', property({ type: 'text' }), /type/],
    ['with a pattern that is no regular expression', property({ pattern: '(' }), /regular expression/],
    ['with a reference into itself that leads nowhere', property({ $ref: '#/$defs/none' }), /none/],
    [
      'with a reference by its own id that leads nowhere',
      { $id: 'https://example.com/a', ...property({ $ref: '#/none' }) },
      /none/,
    ],
  ])('%s', (_, schema, flaw) => {
    expect(schemas.flawOf(schema, NEW)).toMatch(flaw);
    expect(schemas.flawOf(schema, '2024-11-05')).toMatch(flaw);
  });
});

it('a value is compared with its schema, and with one that can not be used it is not', () => {
  const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^\\p{L}$' } } };
  expect(schemas.flawOfValue(schema, { a: 'ä' }, NEW)).toBeUndefined();
  expect(schemas.flawOfValue(schema, { a: '1' }, NEW)).toMatch(/pattern/);
  expect(schemas.flawOfValue(property({ type: 'text' }), { a: 1 }, NEW)).toBeUndefined();
  expect(schemas.flawOfValue(property({ $ref: 'https://example.com/b' }), { a: 1 }, NEW)).toBeUndefined();
});
