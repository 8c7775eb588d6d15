import { expect, it } from 'vitest';
import { languageIdOf } from './languages.ts';

it.each([
  ['/a/b.ts', 'typescript'],
  ['/a/b.d.mts', 'typescript'],
  ['/a/B.TSX', 'typescriptreact'],
  ['/a/Dockerfile', 'dockerfile'],
  ['/a/Makefile', 'makefile'],
  ['/a/tsconfig.json', 'jsonc'],
  ['/a/.gitignore', 'ignore'],
  ['/a/core.lisp', 'lisp'],
  ['/a.ts/noextension', 'plaintext'],
  ['/a/.ts', 'plaintext'],
  ['/a/constructor', 'plaintext'],
])('%s is %s', (path, languageId) => {
  expect(languageIdOf(path)).toBe(languageId);
});
