import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../packages/bridge/testing/temporary-folder.ts';
import { newestSection, readChange, section, withSection } from '../scripts/changelog.mjs';

const root = join(import.meta.dirname, '..');

it('a changeset becomes an item under the packages that it names', () => {
  const first = readChange(
    '---\n"hawser": minor\n"@hawser/mcp": patch\n---\n\nOne.\nMore of it.\n\nA second paragraph.\n',
  );
  const second = readChange('---\n"hawser": patch\n---\n\nTwo.\n');
  const added = section('0.2.0', [first, second, second]);
  expect(added).toBe(
    '## 0.2.0\n\n### `hawser`, `@hawser/mcp`\n\n- One.\n  More of it.\n\n  A second paragraph.\n\n### `hawser`\n\n- Two.\n- Two.\n',
  );
  const changelog = withSection('# Changelog\n\nA word.\n\n## 0.1.0\n\nThe first.\n', added);
  expect(changelog).toBe(`# Changelog\n\nA word.\n\n${added}\n## 0.1.0\n\nThe first.\n`);
  expect(newestSection(changelog)).toBe(added.slice('## 0.2.0\n\n'.length).trim());
});

it('npm run version writes the next version and every changeset into CHANGELOG.md', () => {
  const copy = temporaryFolder();
  for (const path of ['package.json', 'package-lock.json', 'CHANGELOG.md', '.changeset', '.gitignore']) {
    cpSync(join(root, path), join(copy, path), { recursive: true });
  }
  for (const name of readdirSync(join(root, 'packages'))) {
    mkdirSync(join(copy, 'packages', name), { recursive: true });
    cpSync(join(root, 'packages', name, 'package.json'), join(copy, 'packages', name, 'package.json'));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  execFileSync('git', ['init', '-q'], { cwd: copy });
  execFileSync(process.execPath, [join(root, 'scripts', 'changelog.mjs')], { cwd: copy, stdio: 'pipe' });
  const packages = readdirSync(join(root, 'packages'))
    .map((name) => JSON.parse(readFileSync(join(copy, 'packages', name, 'package.json'), 'utf8')))
    .filter((each) => each.private !== true);
  const config = JSON.parse(readFileSync(join(copy, '.changeset', 'config.json'), 'utf8'));
  expect(config.fixed.map((group: string[]) => group.sort())).toEqual([packages.map(({ name }) => name).sort()]);
  const [version, ...others] = new Set(packages.map((each) => each.version));
  expect(others).toEqual([]);
  const added = execFileSync('git', ['ls-files', '--others', '--exclude-standard'], { cwd: copy, encoding: 'utf8' });
  expect(added.split('\n').filter((path) => path.endsWith('CHANGELOG.md'))).toEqual(['CHANGELOG.md']);
  const changelog = readFileSync(join(copy, 'CHANGELOG.md'), 'utf8');
  expect(changelog).toContain(`\n## ${version}\n`);
  const notes = newestSection(changelog);
  const changesets = readdirSync(join(root, '.changeset')).filter((name) => name.endsWith('.md'));
  for (const name of changesets) {
    const [first = ''] = readChange(readFileSync(join(root, '.changeset', name), 'utf8')).text.split('\n');
    expect(notes).toContain(first);
  }
  expect(readdirSync(join(copy, '.changeset')).filter((name) => name.endsWith('.md'))).toEqual([]);
});
