import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { type HookList, hasHook, withHook, withoutHook } from './edit-hooks.ts';

const list: HookList = {
  at: ['hooks', 'PreToolUse'],
  isOurs: (entry) => JSON.stringify(entry).includes('gate hook x'),
};
const ours = { matcher: 'Edit', hooks: [{ type: 'command', command: 'hawser gate hook x' }] };
const theirs = { matcher: 'Bash', hooks: [{ type: 'command', command: 'lint' }] };
const USERS = `{
  // mine
  "theme": "dark", /* why */
  "hooks": {
    "PreToolUse": [
      ${JSON.stringify(theirs)}
    ],
    "Stop": []
  }
}
`;

describe('a hook in a configuration file', () => {
  it('is added to a new file, and taken back', () => {
    const text = withHook('', list, ours);
    expect(parse(text)).toEqual({ hooks: { PreToolUse: [ours] } });
    expect(parse(withoutHook(text, list))).toEqual({});
  });

  it('is added once, after those of the user; comments and everything else stay', () => {
    const text = withHook(USERS, list, ours);
    expect(parse(text)).toEqual({ theme: 'dark', hooks: { PreToolUse: [theirs, ours], Stop: [] } });
    expect(text).toContain('// mine');
    expect(text).toContain('/* why */');
    expect([hasHook(USERS, list), hasHook(text, list), withHook(text, list, ours)]).toEqual([false, true, text]);
  });

  it('replaces an older one in its place', () => {
    const older = { matcher: 'Write', hooks: [{ type: 'command', command: '/old/hawser gate hook x' }] };
    const text = withHook(withHook(USERS, list, older), list, ours);
    expect(parse(text).hooks.PreToolUse).toEqual([theirs, ours]);
  });

  it('taken back leaves what the user has, byte for byte', () => {
    expect(withoutHook(withHook(USERS, list, ours), list)).toBe(USERS);
    expect(withoutHook(USERS, list)).toBe(USERS);
  });

  it('is added to a file that begins with a byte order mark, and taken back; the mark stays', () => {
    const marked = `\ufeff${USERS}`;
    const text = withHook(marked, list, ours);
    expect([text, hasHook(text, list)]).toEqual([`\ufeff${withHook(USERS, list, ours)}`, true]);
    expect(withoutHook(text, list)).toBe(marked);
    expect(withHook('\ufeff', list, ours)).toBe(`\ufeff${withHook('', list, ours)}`);
  });

  it.each(['[1]', '{ broken', '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}'])(
    'of a file that is something else is refused: %s',
    (text) => {
      expect(() => withHook(text, list, ours)).toThrow();
      expect(() => withoutHook(text, list)).toThrow();
    },
  );
});
