import { describe, expect, it } from 'vitest';
import { leftToVendors } from './agents.ts';
import { bridgeOptions, hawserCommand } from './join.ts';
import { type Facts, statusText } from './status-text.ts';

const facts = (more: Partial<Facts>): Facts => ({
  link: 'connected',
  agents: [],
  paused: false,
  waiting: 0,
  left: [],
  ...more,
});

describe('the status bar', () => {
  it.for<[string, Partial<Facts>, string, string]>([
    ['nothing', {}, '$(plug) Hawser', 'No agent is connected.'],
    ['agents', { agents: ['claude-code', 'codex'] }, '$(plug) claude-code, codex', 'Connected: claude-code, codex'],
    ['what waits', { waiting: 2 }, '$(git-pull-request) Hawser 2', '2 changes wait for your decision.'],
    ['a pause', { paused: true, waiting: 1 }, '$(debug-pause) Hawser 1', 'Paused: agents see nothing'],
    ['a problem', { link: 'off', problem: 'no' }, '$(debug-disconnect) Hawser', 'Hawser is not connected: no'],
    ['agents of others', { left: ['Claude Code'] }, '$(plug) Hawser', 'Claude Code: left to its own extension'],
  ])('shows %s', ([, more, text, tooltip]) => {
    const shown = statusText(facts(more));
    expect(shown.text).toBe(text);
    expect(shown.tooltip).toContain(tooltip);
  });
});

describe('agents', () => {
  const hasClaude = (id: string) => id === 'anthropic.claude-code';

  it('are left to the extension of their vendor unless the user has chosen', () => {
    expect(leftToVendors(hasClaude, null).map(({ name }) => name)).toEqual(['claude-code']);
    expect(leftToVendors(hasClaude, ['claude-code'])).toEqual([]);
  });

  it('that a new bridge serves are those that are not left, or the chosen ones', () => {
    expect(bridgeOptions(null, ['a', 'b'], [])).toEqual([]);
    expect(bridgeOptions(null, ['a', 'b'], ['a'])).toEqual(['--agents', 'b']);
    expect(bridgeOptions(['a'], ['a', 'b'], [])).toEqual(['--agents', 'a']);
  });

  it('are served by the hawser in the extension, or the one that the user has set', () => {
    expect(hawserCommand('', '/ext/main.cjs')).toEqual({ program: process.execPath, args: ['/ext/main.cjs'], env: {} });
    expect(hawserCommand('/bin/hawser', '/ext/main.cjs')).toEqual({ program: '/bin/hawser', args: [], env: {} });
  });
});
