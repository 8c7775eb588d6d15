import { describe, expect, it } from 'vitest';
import { processorTime } from '../../../testing/processor-time.ts';
import { oauthChallenge, parseChallenges } from './challenge.ts';

const read = (header: string) =>
  parseChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);

describe('a WWW-Authenticate header', () => {
  it.each<[string, unknown[]]>([
    ['', []],
    ['Bearer', [['bearer', {}]]],
    ['Bearer scope="a b", error=invalid_token', [['bearer', { scope: 'a b', error: 'invalid_token' }]]],
    ['BEARER Scope = "a" , scope="b"', [['bearer', { scope: 'a' }]]],
    [String.raw`Bearer realm="say \"hi\", now"`, [['bearer', { realm: 'say "hi", now' }]]],
    [
      'Basic realm="x", Bearer scope="y"',
      [
        ['basic', { realm: 'x' }],
        ['bearer', { scope: 'y' }],
      ],
    ],
    [
      'Negotiate oA/b+==, Bearer scope="y"',
      [
        ['negotiate', {}],
        ['bearer', { scope: 'y' }],
      ],
    ],
    [
      'Basic, Bearer',
      [
        ['basic', {}],
        ['bearer', {}],
      ],
    ],
    [', ,Bearer a=b,,c=d', [['bearer', { a: 'b', c: 'd' }]]],
    [
      'Bearer scope="unfinished',
      [
        ['bearer', {}],
        ['scope', {}],
      ],
    ],
  ])('%s is read', (header, challenges) => {
    expect(read(header)).toEqual(challenges);
  });

  it('of a hostile server is read in little time', () => {
    const since = processorTime();
    for (const part of ['a ', 'a=', '"', '\\"', 'a="', ', ', 'a b=']) parseChallenges(`Bearer ${part.repeat(100_000)}`);
    expect(processorTime() - since).toBeLessThan(1000);
  });

  it('with several schemes is met by DPoP, then by Bearer', () => {
    expect(oauthChallenge('Bearer a=b, DPoP c=d')?.scheme).toBe('dpop');
    expect(oauthChallenge('Basic a=b, Bearer c=d')?.scheme).toBe('bearer');
    expect(oauthChallenge('Basic a=b')).toBeUndefined();
  });
});
