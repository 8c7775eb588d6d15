import { expect, it } from 'vitest';
import { hashedName, randomName } from './names.ts';

it('a hashed name is the same for the same text, and another for every other', () => {
  expect(hashedName('/home/me/project')).toBe(hashedName('/home/me/project'));
  const texts = Array.from({ length: 20_000 }, (_, index) => `/home/me/project${index}`);
  const names = new Set([...texts, ...texts.map((text) => `${text}/`), '', '\0', 'a', 'b', 'ab', 'ba'].map(hashedName));
  expect(names.size).toBe(40_006);
  for (const name of names) expect(name).toMatch(/^[0-9a-f]{32}$/);
});

it('random names differ', () => {
  const names = new Set(Array.from({ length: 1000 }, () => randomName(12)));
  expect(names.size).toBe(1000);
  for (const name of names) expect(name).toMatch(/^[0-9a-f]{12}$/);
});
