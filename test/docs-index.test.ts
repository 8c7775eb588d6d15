import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryFiles, root } from './repository-files.ts';

const files = repositoryFiles();
const pages = files.filter((path) => path.endsWith('.md'));
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

/** The files that a page links, relative to the root. */
const linksOf = (page: string) =>
  [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target.replace(/#.*/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target))
    .map((target) => join(dirname(page), target));

it('docs/index.md links every page of the documentation', () => {
  const wanted = pages.filter((path) => path.startsWith('docs/') && path !== 'docs/index.md');
  expect(wanted.length).toBeGreaterThan(20);
  expect(linksOf('docs/index.md')).toEqual(expect.arrayContaining(wanted));
});

it('every relative link of a page leads to something', () => {
  const dead = pages.flatMap((page) =>
    linksOf(page)
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${page}: ${path}`),
  );
  expect(dead).toEqual([]);
});

it('ARCHITECTURE.md has 200 lines at most, and it and the READMEs beside the code name files that are there', () => {
  expect(textOf('ARCHITECTURE.md').trimEnd().split('\n').length).toBeLessThanOrEqual(200);
  const maps = ['ARCHITECTURE.md', ...pages.filter((path) => /\/(?:src|lua|test)\/.*README\.md$/.test(`/${path}`))];
  expect(maps.length).toBeGreaterThan(10);
  const missing = maps.flatMap((page) =>
    [...textOf(page).matchAll(/`([\w./-]+\.(?:ts|tsx|mjs|lua|lisp))`/g)]
      .map(([, name = '']) => name.replace(/^(?:\.\.\/)+/, ''))
      .filter((name) => !files.some((path) => `/${path}`.endsWith(`/${name}`)))
      .map((name) => `${page}: ${name}`),
  );
  expect(missing).toEqual([]);
});
