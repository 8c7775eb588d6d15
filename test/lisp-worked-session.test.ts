// Replays the calls of documentation on the real server, with Debian's libraries, and compares the answers.
import { cpSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cacheForTests, folderForTests, greet, type LispProgram, startLisp } from './lisp-program.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const cache = cacheForTests();
const project = join(folderForTests('worked'), 'word-count');
let lisp: LispProgram;

beforeEach(() => {
  cpSync(join(root, 'examples/lisp-word-count'), project, { recursive: true });
});
afterEach(async () => {
  await lisp.close();
  rmSync(project, { recursive: true, force: true, maxRetries: 5 });
});

type Step =
  | { readonly kind: 'call'; readonly tool: string; readonly args: { [name: string]: string | number } }
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'edit'; readonly file: string; readonly from: string; readonly to: string };

it.each(['docs/lisp/worked-session.md', 'packages/lisp/README.md'])('%s shows what really happens', async (page) => {
  const steps = stepsOf(readFileSync(join(root, page), 'utf8'));
  expect(steps.filter(({ kind }) => kind === 'call').length).toBeGreaterThan(3);
  lisp = startLisp(['--cwd', project], { ...cache, HOME: project });
  await greet(lisp);
  let answer = '';
  for (const step of steps) {
    if (step.kind === 'call') {
      answer = (await lisp.call(step.tool, step.args)).content[0].text.replaceAll(project, '$PROJECT');
    } else if (step.kind === 'edit') {
      const path = join(project, step.file);
      const text = readFileSync(path, 'utf8');
      expect(text).toContain(step.from);
      writeFileSync(path, text.replace(step.from, step.to));
      // ASDF compares times in whole seconds, and the file was compiled in this one.
      const later = Date.now() / 1000 + 2;
      utimesSync(path, later, later);
    } else {
      const expected = step.text.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      expect(withoutLineEnds(answer)).toMatch(new RegExp(`^${expected.join('.*')}$`, 's'));
    }
  }
});

/** Editors remove spaces at the end of lines. */
function withoutLineEnds(text: string): string {
  return text.replace(/[ \t]+$/gm, '');
}

/** The fenced blocks of a page that are marked as calls, answers and edits. */
function stepsOf(page: string): Step[] {
  return [...page.matchAll(/^```(call|answer|edit)\n(.*?)\n```$/gms)].map(([, kind, text = '']): Step => {
    if (kind === 'answer') return { kind, text: withoutLineEnds(text) };
    const [first = '', ...rest] = text.split('\n');
    if (kind === 'edit') return { kind, file: first, from: rest[0] ?? '', to: rest[1] ?? '' };
    return { kind: 'call', tool: first, args: argumentsOf(rest) };
  });
}

/** `  name: value` lines; deeper lines belong to the value before. */
function argumentsOf(lines: readonly string[]): { [name: string]: string | number } {
  const args: { [name: string]: string | number } = {};
  let last = '';
  for (const line of lines) {
    const [, name, value = ''] = /^ {2}([\w-]+): (.*)$/.exec(line) ?? [];
    if (name === undefined) args[last] = `${args[last]}\n${line.trim()}`;
    else {
      last = name;
      args[name] = /^\d+$/.test(value) ? Number(value) : value;
    }
  }
  return args;
}
