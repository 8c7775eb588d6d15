import { describe, expect, it } from 'vitest';
import { argumentsOf } from './argument-values.ts';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    force: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    sizes: { type: 'array', items: { type: 'number' } },
    options: { type: 'object' },
    level: { enum: ['low', 'high'] },
    limit: { type: ['integer', 'null'] },
    either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    any: {},
  },
  required: ['path'],
};
const parse = (...words: string[]) => argumentsOf(['path=a', ...words], {}, schema);

describe('the arguments of a tool', () => {
  it.each([
    ['path=3', { path: '3' }],
    ['path=a=b', { path: 'a=b' }],
    ['path=', { path: '' }],
    ['path="quoted"', { path: '"quoted"' }],
    ['count=-3', { count: -3 }],
    ['ratio=1.5e3', { ratio: 1500 }],
    ['force=true', { force: true }],
    ['tags=["a","b"]', { tags: ['a', 'b'] }],
    ['tags=a', { tags: ['a'] }],
    ['tags=1', { tags: ['1'] }],
    ['sizes=1', { sizes: [1] }],
    ['options={"a":1}', { options: { a: 1 } }],
    ['level=high', { level: 'high' }],
    ['limit=null', { limit: null }],
    ['limit=2', { limit: 2 }],
    ['either=2', { either: 2 }],
    ['either=x', { either: 'x' }],
    ['any={"a":[1]}', { any: { a: [1] } }],
    ['any=plain', { any: 'plain' }],
  ])('have the types of its schema: %s', (word, expected) => {
    expect(argumentsOf([word], { path: 'a' }, schema)).toEqual({ path: 'a', ...expected });
  });

  it('can be a list, one word for each item', () => {
    expect(parse('tags=a', 'tags=b', 'sizes=1', 'sizes=2')).toEqual({ path: 'a', tags: ['a', 'b'], sizes: [1, 2] });
  });

  it('are added to those given as JSON, and win', () => {
    expect(argumentsOf(['count=2'], { path: 'x', count: 1, other: null }, schema)).toEqual({
      path: 'x',
      count: 2,
      other: null,
    });
  });

  it.each([
    ['count=1.5', 'count: expected integer, got 1.5'],
    ['count=x', 'count: expected integer, got x'],
    ['ratio=', 'ratio: expected number, got nothing'],
    ['force=yes', 'force: expected boolean, got yes'],
    ['sizes=x', 'expected number, got x'],
    ['options=[]', 'options: expected object, got []'],
    ['level=hihg', 'level: hihg is not one of low, high. Did you mean high?'],
    ['cuont=3', 'There is no argument cuont. Did you mean count?'],
    ['count', 'count: write arguments as key=value.'],
    ['=3', '=3: write arguments as key=value.'],
  ])('that are wrong are named: %s', (word, message) => {
    expect(() => parse(word)).toThrow(message);
  });

  it('that are missing are named, with all other problems', () => {
    expect(() => argumentsOf(['count=x', 'count=y'], {}, schema)).toThrow(
      'count: given 2 times, but it is not a list\nMissing: path (string)',
    );
  });

  it('can have any name if the schema says so, or names none', () => {
    expect(argumentsOf(['a=1', 'b=x'], {}, { type: 'object' })).toEqual({ a: 1, b: 'x' });
    expect(argumentsOf(['a=1'], {}, { properties: {}, additionalProperties: true })).toEqual({ a: 1 });
    expect(() => argumentsOf(['a=1'], {}, { additionalProperties: false })).toThrow('There is no argument a.');
  });

  it('may be called __proto__', () => {
    const args = argumentsOf(['__proto__=1'], {}, {});
    expect(Object.entries(args)).toEqual([['__proto__', 1]]);
  });
});
