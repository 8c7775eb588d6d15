import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const docs = join(root, 'docs');
const links = [...readFileSync(join(docs, 'index.md'), 'utf8').matchAll(/\]\((.+?)\)/g)].map(([, target = '']) =>
  relative(root, join(docs, target)),
);

it('docs/index.md links every page of the documentation, and nothing that is not there', () => {
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !/^(?:index\.md|reference|node_modules)/.test(path))
    .map((path) => join('docs', path));
  expect(pages.length).toBeGreaterThan(20);
  expect(links).toEqual(expect.arrayContaining(pages));
  expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
