import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import bridge from '../../packages/bridge/package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = (text, link) => ({ text, link });

/** The pages of a folder, by their names. */
function pagesIn(folder, textOf = (name) => name) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  const names = readdirSync(path).filter((name) => name.endsWith('.md'));
  return names.sort().map((name) => page(textOf(name.slice(0, -3)), `/${folder}/${name.slice(0, -3)}`));
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
    sidebar: [
      {
        text: 'Tutorials',
        items: [
          page('A first server', '/docs/tutorials/first-server'),
          page('A first client', '/docs/tutorials/first-client'),
          page('Review a change in the terminal', '/docs/tutorials/review-in-the-terminal'),
          page('Review a change in Neovim', '/docs/tutorials/review-in-neovim'),
          page('A Lisp session', '/docs/lisp/worked-session'),
          page('An agent in your Lisp image', '/docs/lisp/your-image'),
        ],
      },
      {
        text: 'Guides',
        items: [
          page('Install', '/docs/install'),
          page('The bridge', '/packages/bridge/'),
          page('Neovim', '/docs/neovim'),
          page('The client commands', '/docs/client'),
          page('Agents', '/docs/agents'),
          page('MCP servers and clients', '/packages/mcp/'),
          page('Authorization', '/docs/authorization'),
          page('Running many', '/docs/running-many'),
          page('Check a server', '/docs/check'),
          page('Coming from the official SDK', '/docs/coming-from-the-sdk'),
          page('Lisp', '/packages/lisp/'),
          { text: 'Lisp in your agent', collapsed: true, items: pagesIn('docs/lisp/agents') },
        ],
      },
      {
        text: 'Reference',
        items: [
          page('Commands', '/docs/reference/commands'),
          page('hawser-lisp', '/docs/reference/hawser-lisp'),
          { text: 'API', collapsed: true, link: '/docs/reference/api/', items: pagesIn('docs/reference/api') },
          { text: 'What agents speak', collapsed: true, items: pagesIn('docs/wire') },
        ],
      },
      {
        text: 'Design',
        items: [
          page('Architecture', '/ARCHITECTURE'),
          page('Security', '/SECURITY'),
          page('Reliability', '/docs/reliability'),
          page('Benchmarks', '/docs/benchmarks'),
          page('Requirements', '/docs/requirements'),
          page('Contributing', '/CONTRIBUTING'),
          page('Changes', '/CHANGELOG'),
        ],
      },
    ],
  },
});
