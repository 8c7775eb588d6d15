import { describe, expect, it } from 'vitest';
import { recordable } from './redact.ts';

/** Put together here, so that no scanner takes it for a real one. */
const KEY = `sk-ant-${'a'.repeat(24)}`;
const LIMITS = { text: 20, texts: 100, values: 10, depth: 3 };

describe('recordable', () => {
  it('leaves an ordinary message as it is', () => {
    const message = { jsonrpc: '2.0', id: 0, method: 'tools/call', params: { name: 'x', list: [1, null, true] } };
    expect(recordable(message)).toEqual(message);
  });

  it.each([
    ['authToken', 'abc'],
    ['Authorization', 'Bearer abc'],
    ['api_key', 'k'],
    ['X-Api-Key', 'k'],
    ['client_secret', 's'],
    ['password', 'p'],
    ['Cookie', 'c=1'],
  ])('redacts the text of a member called %s', (name, value) => {
    expect(recordable({ params: { [name]: value } })).toEqual({ params: { [name]: '[redacted]' } });
  });

  it('leaves numbers called tokens and the token of progress', () => {
    const message = { _meta: { progressToken: 'p1' }, maxTokens: 100, token: 7 };
    expect(recordable(message)).toEqual(message);
  });

  it('shows which environment variables there are, and no value', () => {
    expect(recordable({ env: { HOME: '/root', KEY: 'abc' } })).toEqual({
      env: { HOME: '[redacted]', KEY: '[redacted]' },
    });
    expect(recordable({ env: ['KEY=abc'], environment: 'KEY=abc' })).toEqual({
      env: ['[redacted]'],
      environment: '[redacted]',
    });
  });

  it.each([
    ['Authorization: Bearer abcdefghijkl', 'Authorization: [redacted] [redacted]'],
    ['curl -H "x: Bearer abcdefghijkl"', 'curl -H "x: Bearer [redacted]"'],
    [`key ${KEY} here`, 'key [redacted] here'],
    ['ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '[redacted]'],
    ['export GITHUB_TOKEN=abcdef123', 'export GITHUB_TOKEN=[redacted]'],
    ['{"api_key": "abcdef"}', '{"api_key": "[redacted]"}'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc', '[redacted]'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----', '[redacted]'],
  ])('redacts secrets within a text: %s', (text, clean) => {
    expect(recordable({ text })).toEqual({ text: clean });
  });

  it('cuts a long text and says how long it is', () => {
    expect(recordable('x'.repeat(50), LIMITS)).toBe(`${'x'.repeat(20)}… [cut: 50 characters in all]`);
  });

  it('redacts a secret that the cut would have hidden', () => {
    const text = `${'x'.repeat(10)} ${KEY}`;
    expect(recordable(text, LIMITS)).not.toContain('sk-ant');
  });

  it('bounds the number of values, their depth, and all texts together', () => {
    expect(
      recordable(
        Array.from({ length: 50 }, () => 1),
        LIMITS,
      ),
    ).toEqual([...Array.from({ length: 9 }, () => 1), '[41 more not shown]']);
    expect(recordable([[[[1]]]], LIMITS)).toEqual([[['[nested too deeply to show]']]]);
    const many = recordable(Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`k${n}`, 'y'.repeat(40)])), LIMITS);
    expect(JSON.stringify(many).length).toBeLessThan(400);
  });

  it('a member called __proto__ is an ordinary member', () => {
    const message = JSON.parse('{"__proto__": {"polluted": true}}');
    expect(JSON.stringify(recordable(message))).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
