import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import bridge from '../../packages/bridge/package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = (text, link) => ({ text, link });

/** Pages that are made from the code, so that docs/index.md can't link them. */
const GENERATED = {
  Reference: [
    page('Commands', '/docs/reference/commands'),
    page('hawser-lisp', '/docs/reference/hawser-lisp'),
    { text: 'API', collapsed: true, link: '/docs/reference/api/', items: pagesIn('docs/reference/api') },
  ],
};

/** The address in the site of a page in the repository. */
const sitePath = (path) => `/${path.replace(/README\.md$|\.md$/, '')}`;

/** The pages of a folder, by their names. */
function pagesIn(folder) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  const names = readdirSync(path).filter((name) => name.endsWith('.md'));
  return names.sort().map((name) => page(name.slice(0, -3), `/${folder}/${name.slice(0, -3)}`));
}

/** A section for each heading of the index, with the links under it; indented links belong to the one before. */
function sidebarOf(index) {
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [text = ''] = section.split('\n');
      const items = [...(GENERATED[text] ?? [])];
      for (const [, indent = '', name = '', target = ''] of section.matchAll(/^( *)- \[(.+?)\]\((.+?)\)$/gm)) {
        const item = page(name, sitePath(relative(root, resolve(root, 'docs', target))));
        if (indent === '') items.push(item);
        else Object.assign(items.at(-1), { collapsed: true, items: [...(items.at(-1).items ?? []), item] });
      }
      return { text, items };
    });
}

const repository = bridge.repository.url.replace(/^git\+|\.git$/g, '');

/** Files and folders of the repository that are no pages of the site are linked there. */
function linkSources({ tokens, env }) {
  const links = tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'link_open');
  for (const link of links) {
    const target = link.attrGet('href') ?? '';
    if (/^[a-z]+:|^[#/]/.test(target)) continue;
    const path = relative(root, resolve(dirname(env.realPath ?? env.path), target.replace(/#.*/, '')));
    if (path === 'README.md') link.attrSet('href', '/');
    // The index is at the root of the site.
    else if (env.relativePath === 'index.md' && path.endsWith('.md')) link.attrSet('href', sitePath(path));
    else if (!path.endsWith('.md') && existsSync(join(root, path)))
      link.attrSet('href', `${repository}/tree/main/${path}`);
  }
}

/** Pages outside this folder, too, need Vue, which is installed in it. */
const vueForAllPages = {
  name: 'vue-for-all-pages',
  enforce: 'pre',
  resolveId(id, importer, options) {
    if (!/^vue($|\/)/.test(id)) return null;
    if (options?.ssr) return { id, external: true };
    if (importer?.startsWith(join(root, 'docs'))) return null;
    return this.resolve(id, join(root, 'docs', 'package.json'), { ...options, skipSelf: true });
  },
};

export default defineConfig({
  title: 'Hawser',
  description: 'One line between every coding agent and every editor',
  // The pages stay where readers of the repository look for them.
  srcDir: '..',
  srcExclude: [
    '**/node_modules/**',
    '.github/**',
    '.changeset/**',
    'distribution/**',
    'README.md',
    '**/testing/**',
    'test/**',
    // READMEs for who reads the code.
    'packages/*/src/**',
    'packages/lisp/lisp/**',
    'packages/{client,command-line,loopback-page,terminal-text,unknown-values,user-files}/**',
    'lua/**',
  ],
  rewrites: {
    'docs/index.md': 'index.md',
    'packages/:name/README.md': 'packages/:name/index.md',
  },
  markdown: {
    // A bare < in a table is text.
    html: false,
    languageAlias: { call: 'yaml', answer: 'log', edit: 'lisp' },
    config: (markdown) => markdown.core.ruler.push('sources', linkSources),
  },
  vite: { plugins: [vueForAllPages] },
  cleanUrls: true,
  lastUpdated: false,
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      page('Tutorials', '/docs/tutorials/first-server'),
      page('Guide', '/packages/bridge/'),
      page('Reference', '/docs/reference/commands'),
      page('Design', '/ARCHITECTURE'),
    ],
    sidebar: sidebarOf(readFileSync(join(root, 'docs', 'index.md'), 'utf8')),
  },
});
