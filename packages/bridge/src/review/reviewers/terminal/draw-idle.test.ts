import { widthOf } from '@hawser/terminal-text/wrapping';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../../../testing/reviewing-view.ts';
import type { AgentFacts } from '../../../terminal/facts.ts';
import { drawIdle } from './draw-idle.ts';

const agent = (name: string, more: Partial<AgentFacts> = {}): AgentFacts => ({
  name: name.toLowerCase(),
  displayName: name,
  command: `hawser run ${name.toLowerCase()}`,
  installed: true,
  review: { kind: 'yes', sentence: 'Its changes are reviewed here.' },
  connected: [],
  ...more,
});

const NO = {
  kind: 'no',
  sentence: 'It never asks, it just writes what it likes.',
  todo: 'hawser connect codex --write makes it ask.',
} as const;

function idle(agents: readonly AgentFacts[], { columns = 80, rows = 20 } = {}): readonly string[] {
  const languages = [
    { languages: 'TypeScript', checkedBy: 'tsc --lsp 7.0.2' },
    { languages: 'Go', install: 'go install gopls' },
  ];
  const drawn = drawIdle({ folders: ['/home/ada/shop'], agents, languages }, true, { columns, rows });
  for (const row of drawn) expect(widthOf(textOf(row))).toBeLessThanOrEqual(columns);
  return drawn.map((row) => textOf(row).trimEnd());
}

describe('the screen while nothing waits', () => {
  it('says what is served, who is here and whether that is reviewed, what is checked, and what to press', () => {
    const connected = [{ id: 'claude-1', name: 'claude' }];
    expect(
      idle([agent('Codex', { review: NO }), agent('Absent', { installed: false }), agent('Claude', { connected })]),
    ).toEqual([
      '',
      '  Nothing waits for a decision.',
      '',
      '  Serving /home/ada/shop',
      '',
      '  Agents',
      '    Claude  connected         Its changes are reviewed here.',
      '    Codex   hawser run codex  It never asks, it just writes what it likes.',
      '                              hawser connect codex --write makes it ask.',
      '',
      '  Languages',
      '    TypeScript  checked by tsc --lsp 7.0.2',
      '    Go          not checked: no language server was found',
      '                go install gopls adds one',
      '',
      '  3  all agents, and how each is connected',
      '  d  a demo of a review, with a scripted agent in a scratch folder',
    ]);
  });

  it('on a small screen each agent has one row', () => {
    const many = ['One', 'Two', 'Three', 'Four'].map((name) => agent(name, { review: NO }));
    const rows = idle(many, { columns: 60, rows: 19 });
    expect(rows.filter((row) => row.includes('It never'))).toHaveLength(4);
    expect(rows.filter((row) => row.includes('--write'))).toHaveLength(0);
    expect(rows).toHaveLength(18);
  });

  it('says so if no agent is installed', () => {
    expect(idle([agent('Absent', { installed: false })])).toContain(
      '  No agent is installed here; 3 shows those that Hawser works with.',
    );
  });
});
