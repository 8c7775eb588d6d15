import { describe, expect, it } from 'vitest';
import { PageTokens } from './page-tokens.ts';

/** The token of a page that offers this proof. */
const admitted = (tokens: PageTokens, proof: string) =>
  tokens.admit({ 'sec-websocket-protocol': `hawser-inspect, ${proof}` });

describe('the secrets of the page', () => {
  it('are long, new each time, and only the newest link works, once', () => {
    const tokens = new PageTokens('hawser-inspect');
    const [first, second] = [tokens.newLink(), tokens.newLink()];
    expect(second).toMatch(/^[\w-]{43}$/);
    expect(second).not.toBe(first);
    expect(admitted(tokens, `link.${first}`)).toBeUndefined();
    const token = admitted(tokens, `link.${second}`);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(admitted(tokens, `link.${second}`)).toBeUndefined();
    expect(admitted(tokens, `page.${token}`)).toBe(token);
    expect(admitted(tokens, `link.${token}`)).toBeUndefined();
    expect(admitted(tokens, `page.${second}`)).toBeUndefined();
  });

  it('of old pages stop working when there are many', () => {
    const tokens = new PageTokens('hawser-inspect');
    const oldest = admitted(tokens, `link.${tokens.newLink()}`);
    for (let count = 0; count < 32; count += 1) admitted(tokens, `link.${tokens.newLink()}`);
    expect(admitted(tokens, `page.${oldest}`)).toBeUndefined();
  });
});
