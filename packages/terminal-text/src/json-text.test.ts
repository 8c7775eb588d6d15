import { expect, it } from 'vitest';
import { jsonText } from './json-text.ts';

it('a terminal gets nothing to obey, and a reader the same value', () => {
  const value = { text: 'a\x1b[2J\x9b2J\u202eb\u2028', '\u200b': ['日本', '\ufeff'] };
  const text = jsonText(value, { indent: 0 });
  expect(text).toBe('{"text":"a\\u001b[2J\\u009b2J\\u202eb\\u2028","\\u200b":["日本","\\ufeff"]}');
  expect(JSON.parse(text)).toEqual(value);
});
