import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PACKAGE = join(ROOT, 'packages/mcp');
const { exports: entries } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as {
  exports: { [entry: string]: { readonly types: string } };
};

/** The statements of a declaration file, without comments. Each begins at the start of a line. */
function statementsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('//'));
  const statements: string[] = [];
  for (const line of lines) {
    if (/^[a-z]/.test(line)) statements.push(line);
    else statements.push(`${statements.pop() ?? ''}\n${line}`);
  }
  return statements;
}

/** The declarations that a module exports, by name; overloads are joined. */
function exportsOf(file: string): Map<string, string> {
  const found = new Map<string, string>();
  const folder = dirname(file);
  const add = (name: string, text: string) => {
    const known = found.get(name);
    found.set(name, known === undefined || known === text ? text : `${known}\n${text}`);
  };
  for (const statement of statementsOf(file)) {
    const declared = /^export (?:declare )?(?:abstract )?(?:class|interface|type|const|function) (\w+)/.exec(statement);
    const from = /from '(\.[^']+)\.ts';?$/.exec(statement)?.[1];
    const listed = /^export (?:type )?\{([^}]*)\}/.exec(statement)?.[1];
    if (listed !== undefined && from !== undefined) {
      const theirs = exportsOf(join(folder, `${from}.d.ts`));
      for (const item of listed.split(',').map((each) => each.trim().replace(/^type /, ''))) {
        const [name = '', alias = name] = item.split(' as ');
        const text = theirs.get(name);
        if (name !== '' && text === undefined) throw new Error(`${name} is not declared in ${from}`);
        if (text !== undefined) add(alias, text);
      }
    } else if (/^export (?:type )?\*/.test(statement) && from !== undefined) {
      for (const [name, text] of exportsOf(join(folder, `${from}.d.ts`))) add(name, text);
    } else if (declared?.[1] !== undefined) add(declared[1], statement);
  }
  return found;
}

test('the declarations that @hawser/mcp publishes are those of its report', async () => {
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-b', PACKAGE]);
  const seen = new Set<string>();
  const sections = Object.entries(entries).map(([entry, { types }]) => {
    const file = join(PACKAGE, 'build', types.replace('./dist/', ''));
    expect(existsSync(file), file).toBe(true);
    const own = [...exportsOf(file)].filter(([name, text]) => !seen.has(`${name} ${text}`));
    for (const [name, text] of own) seen.add(`${name} ${text}`);
    const texts = own.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text);
    return `# @hawser/mcp${entry.slice(1)}\n\n${texts.join('\n\n')}\n`;
  });
  // After a change that is meant: npx vitest run test/mcp-api.test.ts -u
  await expect(sections.join('\n')).toMatchFileSnapshot(join(PACKAGE, 'api-report.txt'));
});
