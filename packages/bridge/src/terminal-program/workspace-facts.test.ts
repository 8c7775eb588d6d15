import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import type { ClientStatus, Status } from '../control/calls.ts';
import { statusBar } from './status-bar.ts';
import { workspaceFacts } from './workspace-facts.ts';

let bin: string;

beforeEach(() => {
  bin = temporaryFolder();
});

const client = (id: string, name: string): ClientStatus => ({ id, name, version: '1.0', state: 'ready', calls: 0 });

function status(clients: { readonly [adapter: string]: readonly ClientStatus[] }, more: Partial<Status> = {}): Status {
  return {
    protocol: 2,
    pid: 1,
    version: '1.0',
    editor: 'Hawser',
    folders: ['/home/ada/shop'],
    paused: false,
    agents: Object.entries(clients).map(([name, each]) => ({ name, endpoints: [], discoveryFiles: [], clients: each })),
    shared: { kind: 'nothing', reason: 'no open file' },
    proposals: 0,
    reviewers: [],
    selectsInViews: true,
    ...more,
  };
}

describe('workspaceFacts', () => {
  it('an agent is installed if PATH has its command', () => {
    for (const name of ['claude', 'gemini']) writeFileSync(join(bin, name), '#!/bin/sh\n');
    chmodSync(join(bin, 'claude'), 0o755);
    const { agents } = workspaceFacts(status({}), `:${bin}:/nowhere`);
    expect(agents.filter(({ installed }) => installed).map(({ command }) => command)).toEqual(['hawser run claude']);
  });

  it('opencode connects through the adapter of Claude Code and is another agent', () => {
    const clients = {
      'claude-code': [client('c1', 'claude-code'), client('c2', 'opencode'), client('c3', 'demo-agent')],
      mcp: [client('m', 'Cursor')],
    };
    const { agents } = workspaceFacts(status(clients), bin);
    const connected = agents.flatMap((agent) => agent.connected.map(({ id }) => `${agent.name} ${id}`));
    expect(connected).toEqual(['claude c1', 'opencode c2']);
  });

  it('languages have what checks them, why that fails, or what would', () => {
    const program = { version: '7.0.2', path: '/p', folder: '/w', kind: 'server', state: 'running' } as const;
    const script = 'npm i -D typescript';
    const { languages } = workspaceFacts(
      status(
        {},
        {
          languagePrograms: [
            { ...program, name: 'tsc --lsp', languages: ['typescript', 'javascript'] },
            {
              ...program,
              name: 'gopls',
              languages: ['go'],
              version: undefined,
              state: 'failed',
              problem: 'no go\nhere',
            },
            { ...program, name: 'taplo', languages: ['toml'] },
            { ...program, name: 'make check', languages: [], version: undefined },
          ],
          uncheckedLanguages: [
            { title: 'Vue', install: script },
            { title: 'Python', install: 'pip install basedpyright' },
            { title: 'Svelte', install: script },
          ],
        },
      ),
      bin,
    );
    expect(languages).toEqual([
      { languages: 'TypeScript, JavaScript', checkedBy: 'tsc --lsp 7.0.2' },
      { languages: 'Go', checkedBy: 'gopls', problem: 'no go' },
      { languages: 'toml', checkedBy: 'taplo 7.0.2' },
      { languages: 'all files', checkedBy: 'make check' },
      { languages: 'Vue, Svelte', install: script },
      { languages: 'Python', install: 'pip install basedpyright' },
    ]);
    expect(workspaceFacts(status({}), bin).languages).toEqual([]);
    expect(workspaceFacts(status({}, { selectsInViews: false }), bin).languages).toBeUndefined();
  });
});

describe('the status bar', () => {
  const bar = (given: Status) => statusBar(given, workspaceFacts(given, bin), (path) => path.slice(1));

  it('has the name of the folder, the agents and whether they are reviewed, and what is shared', () => {
    expect(bar(status({}))).toBe('shop | no agent connected | shares no file');
    const clients = {
      'gemini-cli': [client('g', 'gemini')],
      codex: [client('x', 'codex')],
      mcp: [client('m', 'Cursor')],
      'claude-code': [{ ...client('c', 'claude-code'), state: 'initializing' as const }],
    };
    const shared = { kind: 'file', path: '/a.ts' } as const;
    expect(bar(status(clients, { shared }))).toBe('shop | gemini: reviewed, codex: NOT reviewed, Cursor | shares a.ts');
    expect(bar(status({}, { paused: true, folders: ['/one', '/two'] }))).toBe(
      'one, two | no agent connected | PAUSED: shares nothing',
    );
  });
});

describe('whether an agent is reviewed now', () => {
  const reviewOf = (more: Partial<ClientStatus>, gates: readonly string[] = []) => {
    const given = status({ 'claude-code': [{ ...client('c', 'claude-code'), ...more }] }, { gates });
    return workspaceFacts(given, bin).agents.find(({ name }) => name === 'claude')?.review;
  };

  it('is told by what it did last, with what to press if not', () => {
    expect(reviewOf({})).toMatchObject({ kind: 'depends', todo: 'Shift-Tab in it changes the mode.' });
    expect(reviewOf({ lastChange: 'proposed' })).toMatchObject({ kind: 'yes' });
    expect(reviewOf({ lastChange: 'unasked' })).toMatchObject({
      kind: 'no',
      todo: 'Press Shift-Tab in it until it says "manual mode".',
    });
  });

  it('is certain while its gate is on', () => {
    expect(reviewOf({ lastChange: 'unasked' }, ['claude-code'])).toEqual({
      kind: 'yes',
      sentence: 'Its changes are reviewed here in every mode: its gate is on.',
    });
  });
});
