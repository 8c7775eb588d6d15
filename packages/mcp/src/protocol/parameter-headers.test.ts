import { describe, expect, it } from 'vitest';
import { headersFor, type ParameterHeader, parameterHeaders, parameterMismatch } from './parameter-headers.ts';

const region = { type: 'string', 'x-mcp-header': 'Region' };
const schema = {
  type: 'object',
  properties: {
    region,
    'x-mcp-header': { type: 'string' },
    options: { type: 'object', properties: { limit: { type: 'integer', 'x-mcp-header': 'Limit' } } },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
    free: { type: 'object', default: { 'x-mcp-header': 'no declaration' } },
  },
};
const headers: readonly ParameterHeader[] = [
  { name: 'Region', path: ['region'], type: 'string' },
  { name: 'Dry-Run', path: ['dry'], type: 'boolean' },
  { name: 'Limit', path: ['options', 'limit'], type: 'integer' },
];

describe('the headers of a tool', () => {
  it('are declared on properties, nested ones too', () => {
    expect(parameterHeaders(schema)).toEqual({ ok: true, headers });
    expect(parameterHeaders({ type: 'object' })).toEqual({ ok: true, headers: [] });
  });

  it.each([
    ['an empty name', { properties: { a: { type: 'string', 'x-mcp-header': '' } } }],
    ['a name that is no string', { properties: { a: { type: 'string', 'x-mcp-header': 5 } } }],
    ['a name with a space', { properties: { a: { type: 'string', 'x-mcp-header': 'My Region' } } }],
    ['a name with a colon', { properties: { a: { type: 'string', 'x-mcp-header': 'Region:Primary' } } }],
    ['a name in Greek', { properties: { a: { type: 'string', 'x-mcp-header': 'Ρ' } } }],
    ['a number', { properties: { a: { type: 'number', 'x-mcp-header': 'A' } } }],
    ['an object', { properties: { a: { type: 'object', 'x-mcp-header': 'A' } } }],
    ['several types', { properties: { a: { type: ['string', 'null'], 'x-mcp-header': 'A' } } }],
    ['no type', { properties: { a: { 'x-mcp-header': 'A' } } }],
    ['one name in two spellings', { properties: { a: region, b: { ...region, 'x-mcp-header': 'REGION' } } }],
    ['the root', { type: 'string', 'x-mcp-header': 'A' }],
    ['items', { properties: { list: { type: 'array', items: region } } }],
    ['a property of items', { properties: { list: { items: { properties: { region } } } } }],
    ['oneOf', { oneOf: [{ properties: { region } }] }],
    ['else', { if: {}, else: { properties: { region } } }],
    ['$defs', { $defs: { region } }],
    ['patternProperties', { patternProperties: { '^r': region } }],
    ['additionalProperties', { additionalProperties: region }],
  ])('are refused on %s', (_, bad) => {
    expect(parameterHeaders(bad)).toMatchObject({ ok: false, problem: expect.stringContaining('x-mcp-header') });
  });

  it('are found however deep a schema is nested', () => {
    let deep: object = region;
    for (let n = 0; n < 20_000; n += 1) deep = n % 2 === 0 ? { not: deep } : { properties: { deep } };
    expect(parameterHeaders({ ...deep }).ok).toBe(false);
  });

  it('carry the arguments that are there', () => {
    expect(headersFor(headers, { region: 'eu ', dry: false, options: { limit: 7 } })).toEqual({
      'Mcp-Param-Region': '=?base64?ZXUg?=',
      'Mcp-Param-Dry-Run': 'false',
      'Mcp-Param-Limit': '7',
    });
    expect(headersFor(headers, { region: null, options: { limit: 2 ** 60 } })).toEqual({});
    expect(headersFor([{ name: 'P', path: ['toString'], type: 'string' }], {})).toEqual({});
  });

  it.each([
    ['all as the arguments', { region: 'eu', dry: true }, { region: 'eu', 'dry-run': 'true' }],
    ['with blanks around them', { region: 'eu' }, { region: ' \teu ' }],
    ['in Base64', { region: 'Hello' }, { region: '=?base64?SGVsbG8=?=' }],
    ['for a number in other words', { options: { limit: 42 } }, { limit: '42.0' }],
    ['for nothing', { region: null }, { region: 'eu', other: 'x' }],
  ])('match %s', (_, args, sent: Record<string, string>) => {
    expect(parameterMismatch(headers, args, (name) => sent[name.slice('mcp-param-'.length)])).toBeUndefined();
  });

  it.each([
    ['is missing', {}, 'The header Mcp-Param-Region is missing, but the argument region is there'],
    ['is malformed', { region: '=?base64?SGVsbG8?=' }, 'The header Mcp-Param-Region is not valid Base64 of UTF-8'],
    ['is another', { region: 'EU' }, 'The header Mcp-Param-Region differs from the argument region'],
  ])('do not match when one %s', (_, sent: Record<string, string>, problem) => {
    expect(parameterMismatch(headers, { region: 'eu' }, (name) => sent[name.slice('mcp-param-'.length)])).toBe(problem);
  });

  // A trim that is quadratic needs minutes for it.
  it('are compared at once when they hold many blanks', () => {
    const blanks = `a${' '.repeat(500_000)}b`;
    expect(parameterMismatch(headers, { region: blanks }, () => `  ${blanks}\t`)).toBeUndefined();
  });

  it.each(['4e1', '0x28', '', '40.5'])('do not match an integer written as %j', (text) => {
    expect(parameterMismatch(headers, { options: { limit: 40 } }, () => text)).toContain('Mcp-Param-Limit differs');
  });
});
