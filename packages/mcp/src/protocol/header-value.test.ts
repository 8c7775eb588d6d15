import { describe, expect, it } from 'vitest';
import { decodeHeaderValue, encodeHeaderValue } from './stateless.ts';

describe('a header value', () => {
  it.each([
    ['plain text', 'plain text'],
    ['file:///path/to/file%20name.txt', 'file:///path/to/file%20name.txt'],
    [42, '42'],
    [-0.5, '-0.5'],
    [true, 'true'],
    [false, 'false'],
    ['=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
    ['=?base64?=', '=?base64?='],
  ])('holds %j as it is', (value, header) => {
    expect(encodeHeaderValue(value)).toBe(header);
    expect(decodeHeaderValue(header)).toBe(String(value));
  });

  it.each([
    ['', '=?base64??='],
    ['日本', '=?base64?5pel5pys?='],
    [' leading', '=?base64?IGxlYWRpbmc=?='],
    ['trailing ', '=?base64?dHJhaWxpbmcg?='],
    ['two\nlines', '=?base64?dHdvCmxpbmVz?='],
    ['a\tb', '=?base64?YQli?='],
    ['\u007f', '=?base64?fw==?='],
    ['=?base64?SGVsbG8=?=', '=?base64?PT9iYXNlNjQ/U0dWc2JHOD0/PQ==?='],
  ])('holds %j as Base64', (value, header) => {
    expect(encodeHeaderValue(value)).toBe(header);
    expect(decodeHeaderValue(header)).toBe(value);
  });

  it.each([
    ['without padding', '=?base64?SGVsbG8?='],
    ['with strange letters', '=?base64?SGVs!!!bG8=?='],
    ['of bytes that are no UTF-8', '=?base64?/w==?='],
    ['with unused bits set', '=?base64?SGVsbG9=?='],
  ])('is malformed when it is Base64 %s', (_, header) => {
    expect(decodeHeaderValue(header)).toBeUndefined();
  });

  it('in capitals is no Base64', () => {
    expect(decodeHeaderValue('=?BASE64?SGVsbG8=?=')).toBe('=?BASE64?SGVsbG8=?=');
  });
});
