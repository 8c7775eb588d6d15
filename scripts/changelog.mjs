// @ts-check
// `npm run version` runs this: it gives the packages their next version by `changeset version`, and writes what the changesets say
// into CHANGELOG.md. Those that `changeset version` writes into the packages are ignored by git: changesets/action fails without them.
// `node scripts/changelog.mjs notes` prints the newest section, for the release.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ packages: string[], text: string }} Change */

/**
 * @param {string} file the text of a file in .changeset
 * @returns {Change}
 */
export function readChange(file) {
  const [, head = '', text = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(file) ?? [];
  return { packages: [...head.matchAll(/^"(.+?)":/gm)].map(([, name = '']) => name), text: text.trim() };
}

/**
 * @param {string} version
 * @param {readonly Change[]} changes
 */
export function section(version, changes) {
  const groups = new Map();
  for (const { packages, text } of changes) {
    const heading = packages.map((name) => `\`${name}\``).join(', ');
    groups.set(heading, [...(groups.get(heading) ?? []), `- ${text.replaceAll(/\n(?=.)/g, '\n  ')}`]);
  }
  const parts = [...groups].map(([heading, items]) => `### ${heading}\n\n${items.join('\n')}\n`);
  return `## ${version}\n\n${parts.join('\n')}`;
}

/**
 * @param {string} changelog
 * @param {string} added
 */
export function withSection(changelog, added) {
  const at = changelog.indexOf('\n## ');
  return at === -1 ? `${changelog.trimEnd()}\n\n${added}` : `${changelog.slice(0, at)}\n${added}${changelog.slice(at)}`;
}

/** @param {string} changelog */
export function newestSection(changelog) {
  const [, first = ''] = changelog.split(/^## .*\n/m);
  return first.trim();
}

if (import.meta.filename === process.argv[1]) {
  const root = process.cwd();
  const file = join(root, 'CHANGELOG.md');
  if (process.argv[2] === 'notes') {
    console.log(newestSection(readFileSync(file, 'utf8')));
  } else {
    const folder = join(root, '.changeset');
    const names = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
    const changes = names.map((name) => readChange(readFileSync(join(folder, name), 'utf8')));
    execFileSync(join(root, 'node_modules', '.bin', 'changeset'), ['version'], { stdio: 'inherit' });
    const { version } = JSON.parse(readFileSync(join(root, 'packages', 'bridge', 'package.json'), 'utf8'));
    if (changes.length > 0) {
      writeFileSync(file, withSection(readFileSync(file, 'utf8'), section(version, changes)));
    }
  }
}
