import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SERVED, AGENTS as STARTED_BY_VS_CODE } from '../editors/vscode/src/agents.ts';
import { AGENTS, CONNECTING_AGENTS, DEFAULT_AGENTS } from '../packages/bridge/src/agents/agents.ts';
import { realAgents } from './agents/all.ts';
import { gated } from './agents/gated.ts';
import { shells } from './agents/shells.ts';
import { expectedGateTable, expectedShellTable, expectedTable } from './agents/table.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

describe('the table of agents', () => {
  it('in the README is the one that npm run test:real -- agents prints when every check passes', () => {
    expect(read('README.md')).toContain(expectedTable(realAgents));
  });

  it('of gates is in docs/agents.md, likewise', () => {
    expect(read('docs/agents.md')).toContain(expectedGateTable(gated));
  });

  it('of shell commands is there, too', () => {
    expect(read('docs/agents.md')).toContain(expectedShellTable(shells));
  });

  it('has a row for each adapter that an agent from npm connects through', () => {
    // Every agent has a column for `mcp`; the agent of `jetbrains` is a plugin of an IDE.
    const others = ['jetbrains', 'mcp'] as const;
    const adapters = new Set([...realAgents.map(({ adapter }) => adapter), ...others]);
    expect([...adapters].toSorted()).toEqual(CONNECTING_AGENTS.map(({ name }) => name));
  });

  it.each(realAgents)('$title: what it cannot do is named in docs/agents.md', ({ title, limits }) => {
    const page = read('docs/agents.md');
    expect(page).toContain(`## ${title}`);
    for (const limit of new Set(Object.values(limits))) expect(page.replace(/\s+/g, ' ')).toContain(`- ${limit}.`);
  });
});

describe('every agent that Hawser can start', () => {
  const started = AGENTS.flatMap(({ name, program }) => (program ? { name, command: program.command } : []));
  const commands = started.map(({ command }) => command).toSorted();
  const { contributes } = JSON.parse(read('editors/vscode/package.json'));

  it.each([
    ['Emacs', 'editors/emacs/hawser.el', /defcustom hawser-agents '\(([^)]+)\)/],
    ['JetBrains IDEs', 'editors/jetbrains/src/dev/hawser/jetbrains/Actions.java', /AGENTS = \{([^}]+)\}/],
  ])('is offered by %s', (_editor, path, list) => {
    const [, words = ''] = list.exec(read(path)) ?? [];
    expect(words.match(/[\w-]+/g)?.toSorted()).toEqual(commands);
  });

  it('is offered by VS Code, which can serve those that connect', () => {
    expect(STARTED_BY_VS_CODE.map(({ name, command }) => ({ name, command }))).toEqual(started);
    expect(SERVED).toEqual(DEFAULT_AGENTS);
    for (const { name, title } of STARTED_BY_VS_CODE) {
      const command = { command: `hawser.start.${name}`, title: `Start ${title}`, category: 'Hawser' };
      expect(contributes.commands).toContainEqual(command);
    }
    expect(JSON.stringify(contributes.configuration)).toContain(
      JSON.stringify(CONNECTING_AGENTS.map(({ name }) => name)),
    );
  });
});
