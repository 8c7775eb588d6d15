import { describe, expect, test } from 'vitest';
import { officialSchema } from './message-check.ts';
import { MEMBERS, memberNames } from './revision-members.ts';

// Where the official schema says less than the specification, or says it in two schemas.
const differences: { readonly [kind: string]: readonly string[] } = {
  PromptArgument: ['title'],
  PromptReference: ['title'],
  ResourceContents: ['text', 'blob'],
};

const kinds = Object.keys(MEMBERS).filter((kind) => membersInSchema(kind) !== undefined);

describe('in the newest revision', () => {
  test.each(kinds)('the members of %s are those of the official schema', (kind) => {
    const expected = [...(membersInSchema(kind) ?? []), ...(differences[kind] ?? [])];
    expect(memberNames(kind, '2025-11-25').sort()).toEqual(expected.sort());
  });

  test('only what has no official schema of its own is not compared', () => {
    const others = Object.keys(MEMBERS).filter((kind) => !kinds.includes(kind));
    expect(others.sort()).toEqual(['Argument', 'Completion', 'ElicitRequestParams', 'Empty']);
  });
});

function membersInSchema(kind: string): string[] | undefined {
  const { shape } = (officialSchema(kind) ?? {}) as { shape?: object };
  return shape && Object.keys(shape);
}
