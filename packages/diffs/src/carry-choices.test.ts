import { expect, it } from 'vitest';
import { carryChoices } from './carry-choices.ts';
import { hunksOf } from './hunks.ts';

const old = 'a\nb\nc\nd\ne\n';
const before = hunksOf(old, 'A\nb\nC\nd\nE\n');

it('a hunk that an edit leaves alone keeps its choice, and one that it changes loses it', () => {
  const after = hunksOf(old, 'A\nb\nCC\nd\nE\n');
  expect(carryChoices(before, after, ['rejected', 'rejected', 'accepted'])).toEqual(['rejected', '', 'accepted']);
});

it('lines that are added above do not matter', () => {
  const after = hunksOf(old, 'A\nb\nnew\nb\nC\nd\nE\n');
  expect(carryChoices(before, after, ['', '', 'rejected'])).toEqual(['', '', 'rejected']);
});

it('a hunk that is gone takes its choice with it, and missing choices are none', () => {
  expect(carryChoices(before, hunksOf(old, 'a\nb\nc\nd\nE\n'), ['rejected', 'rejected'])).toEqual(['']);
});
