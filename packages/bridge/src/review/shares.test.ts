import { expect, it } from 'vitest';
import { Shares } from './shares.ts';

const limits = { maxOpen: 3, maxOpenPerAgent: 2, maxBytes: 30, maxBytesPerAgent: 20 };
const [one, other] = [{}, {}];

it('one agent can’t open more than its share, and others still can', () => {
  const shares = new Shares(limits);
  expect(shares.open(one, 2)).toBeUndefined();
  expect(shares.open(one, 1)).toBe('2 proposals of this agent are open; decide or withdraw some first');
  expect(shares.open(other, 1)).toBeUndefined();
  expect(shares.open(other, 1)).toBe('3 proposals of all agents are open; decide or withdraw some first');
  shares.close(one, 1);
  expect(shares.open(other, 1)).toBeUndefined();
});

it('bytes count for each agent and in all, and an old text that several have counts once', () => {
  const shares = new Shares(limits);
  const oldText = 'ä'.repeat(5);
  expect(shares.add(one, { oldText, newText: 'x'.repeat(5) })).toBeUndefined();
  expect(shares.add(one, { oldText, newText: 'x'.repeat(5) })).toBeUndefined();
  expect(shares.add(one, { oldText, newText: 'x' })).toMatch('Open proposals of this agent hold up to 20 bytes');
  expect(shares.add(other, { oldText: undefined, newText: 'x'.repeat(11) })).toMatch('of all agents hold up to 30');
  shares.remove(one, { oldText, newText: 'x'.repeat(5) });
  expect(shares.add(one, { oldText, newText: 'x'.repeat(5) })).toBeUndefined();
  expect(shares.add(other, { oldText: undefined, newText: 'x'.repeat(10) })).toBeUndefined();
});

it('a text is replaced by the first one that fits, and stays if none does', () => {
  const shares = new Shares(limits);
  const before = { oldText: 'old', newText: 'new' };
  shares.add(one, before);
  const [large, small] = [
    { oldText: 'old', newText: 'x'.repeat(18) },
    { oldText: 'x'.repeat(10), newText: 'x'.repeat(10) },
  ];
  expect(shares.replace(one, before, [large])).toBeUndefined();
  expect(shares.replace(one, before, [large, small])).toBe(small);
  expect(shares.add(one, { oldText: undefined, newText: 'x' })).toMatch('20 bytes');
  shares.remove(one, small);
  expect(shares.add(one, { oldText: undefined, newText: 'x'.repeat(20) })).toBeUndefined();
});
