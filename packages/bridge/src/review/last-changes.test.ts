import { expect, it } from 'vitest';
import { LastChanges } from './last-changes.ts';
import type { Proposal } from './proposal.ts';

function added(agent: string, effect?: Proposal['effect']) {
  const proposal = { agent, ...(effect && { effect }) } as Proposal;
  return { kind: 'added', proposal } as const;
}

it('an agent asks, or does not, as it did last', () => {
  const changes = new LastChanges();
  expect(changes.of('claude-code')).toBeUndefined();
  expect(changes.note(added('claude-code'))).toBe(true);
  expect(changes.note(added('claude-code', 'delete'))).toBe(false);
  expect(changes.of('claude-code')).toBe('proposed');
  expect(changes.note(added('claude-code', 'noticed'))).toBe(true);
  expect(changes.of('claude-code')).toBe('unasked');
  expect(changes.of('gemini')).toBeUndefined();
});
