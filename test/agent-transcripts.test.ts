import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { OpenAdapter } from '../packages/bridge/src/agent.ts';
import { claudeCodeAdapter } from '../packages/bridge/src/agents/claude-code/adapter.ts';
import { codexAdapter } from '../packages/bridge/src/agents/codex/adapter.ts';
import { copilotCliAdapter } from '../packages/bridge/src/agents/copilot-cli/adapter.ts';
import { geminiCliAdapter } from '../packages/bridge/src/agents/gemini-cli/adapter.ts';
import { jetbrainsAdapter } from '../packages/bridge/src/agents/jetbrains/adapter.ts';
import { mcpAdapter } from '../packages/bridge/src/agents/mcp/adapter.ts';
import { qwenCodeAdapter } from '../packages/bridge/src/agents/qwen-code/adapter.ts';
import { drivers } from '../packages/bridge/testing/dialects.ts';
import {
  type AdapterFolders,
  type AdapterUnderTest,
  addressOf,
  diagnosed,
  lockOf,
  Stage,
  tokenOf,
} from '../packages/bridge/testing/stage.ts';
import { parseTranscript, type Session } from '../packages/client/src/transcript.ts';
import { codexWire } from './agent-codex-wire.ts';
import { agentHttpWire } from './agent-http-wire.ts';
import { type Cues, play, type Wire } from './transcript-player.ts';
import { socketWire } from './transcript-wires.ts';

// What the agent adapters say, played against real adapters on real sockets with the embedded editor behind them.

const adapters = {
  'claude-code': ({ stateFolder, home }: AdapterFolders) =>
    claudeCodeAdapter({
      stateFolder,
      ideName: 'Neovim',
      lockFolder: join(home, '.claude', 'ide'),
      runningInWindows: false,
      selectionAgainMs: [],
      evaluate: async (code) =>
        code === '(+ 1 2)' ? { text: '3', isError: false } : { text: 'The value 1 is not of type LIST', isError: true },
    }),
  jetbrains: ({ stateFolder }: AdapterFolders) => jetbrainsAdapter({ stateFolder }),
  codex: ({ home }: AdapterFolders) => codexAdapter({ codexHome: join(home, '.codex'), temporaryFolder: home }),
  'copilot-cli': ({ stateFolder, home }: AdapterFolders) =>
    copilotCliAdapter({
      stateFolder,
      ideName: 'Hawser',
      lockFolder: join(home, '.copilot', 'ide'),
      temporaryFolder: join(home, 'tmp'),
    }),
  'gemini-cli': ({ stateFolder, home }: AdapterFolders) =>
    geminiCliAdapter({ stateFolder, ideName: 'Hawser', lockFolder: join(home, 'tmp', 'gemini', 'ide') }),
  'qwen-code': ({ stateFolder, home }: AdapterFolders) =>
    qwenCodeAdapter({ stateFolder, ideName: 'Hawser', lockFolder: join(home, '.qwen', 'ide') }),
  mcp: ({ stateFolder }: AdapterFolders) => mcpAdapter({ stateFolder }),
};

/** What the stage needs of an adapter. Codex has a wire of its own instead of one of the dialects. */
const underTest = (name: Name): AdapterUnderTest => ({
  dialect: name === 'codex' ? 'claude-code' : name,
  workspaceIn: () => undefined,
  identity:
    name === 'claude-code'
      ? { name: 'Claude Code Neovim MCP', version: '0.1.0' }
      : { name: 'Hawser', version: '0.0.0' },
  make: adapters[name],
});

type Name = keyof typeof adapters;
const names = Object.keys(adapters) as Name[];

describe.each(names)('%s', (name) => {
  const sessions = read(name);
  for (const session of sessions) it(session.title, () => perform(session, name));

  it('a change in any expected line fails its test', async () => {
    for (const session of sessions) {
      for (const [index, line] of session.lines.entries()) {
        if (line.kind !== 'message' || line.from === 'client') continue;
        const planted = { ...line, text: JSON.stringify({ ...JSON.parse(line.text), planted: true }) };
        const lines = session.lines.with(index, planted);
        const found = `line ${line.number}: planted is missing, should be true`;
        await expect(perform({ ...session, lines }, name)).rejects.toThrow(found);
      }
    }
  });
});

function read(name: Name): Session[] {
  return parseTranscript(readFileSync(new URL(`agent-transcripts/${name}.transcript`, import.meta.url), 'utf8'));
}

async function perform(session: Session, name: Name): Promise<void> {
  const stage = new Stage(underTest(name), {
    diagnosticsCommand: { command: ['cat', 'problems'], matcher: 'tsc' },
    formatCommand: { command: ['cat'] },
  });
  const path = stage.file('main.ts', 'let a = 1;\nlet b = foo;\n');
  stage.file('problems', '');
  const adapter = await stage.openAdapter();
  const wire = await connect(adapter, name);
  await play(session, 'client', inFolder(wire, stage.folder), cuesOf(stage, path));
}

async function connect(adapter: OpenAdapter, name: Name): Promise<Wire> {
  if (name === 'codex') return codexWire(addressOf(adapter).replace('unix:', ''));
  const target = drivers[name].target?.(addressOf(adapter), lockOf(adapter));
  if (target !== undefined) return agentHttpWire(target);
  const headers = { 'X-Claude-Code-Ide-Authorization': tokenOf(adapter) };
  const socket = new WebSocket(addressOf(adapter), 'mcp', { headers });
  const wire = socketWire(socket, async () => {});
  await once(socket, 'open');
  return wire;
}

function cuesOf(stage: Stage, path: string): Cues {
  const { editor, user } = stage;
  /** Those that a cue has dealt with. */
  let seen = 0;
  const next = async () => {
    const shown = user.shown[seen] ?? (await user.next());
    seen += 1;
    return shown;
  };
  let shown: AbortSignal | undefined;
  return {
    'the user accepts the diff': async () => {
      const { proposal, decide } = await next();
      await decide({ kind: 'accepted', text: proposal.newText });
    },
    'the user makes it "let a = 3;" and accepts': async () => {
      await (await next()).decide({ kind: 'accepted', text: 'let a = 3;\n' });
    },
    'the user rejects the diff': async () => {
      await (await next()).decide({ kind: 'rejected' });
    },
    'the diff is on the screen': async () => {
      shown = (await next()).signal;
    },
    'the diff is gone from the screen': async () => {
      if (shown?.aborted === false) await once(shown, 'abort');
    },
    'tsc reports problems': async () => {
      const problems = [
        "main.ts(2,9): error TS2304: Cannot find name 'foo'.",
        'with space & 100%.ts(1,1): warning TS9: Odd.',
      ];
      writeFileSync(join(stage.folder, 'problems'), `${problems.join('\n')}\n`);
      const reported = diagnosed(editor);
      editor.refreshDiagnostics();
      await reported;
    },
    'the user types': () => editor.setText(path, 'unsaved\n'),
    'the user selects "foo"': () =>
      editor.openFile({ path, range: { start: { line: 1, character: 8 }, end: { line: 1, character: 11 } } }),
    'the user mentions lines 1 to 2': () => editor.mention(path, { first: 0, last: 1 }),
    'the user mentions the file': () => editor.mention(path),
    'the user pauses': () => {
      stage.access.paused = true;
    },
    'the user resumes': () => {
      stage.access.paused = false;
    },
  };
}

/** A wire on which the workspace is called $WORK, and every time 0. */
function inFolder(wire: Wire, folder: string): Wire {
  const read = (text: string) => text.replaceAll(folder, '$WORK').replaceAll(/"timestamp":\d+/g, '"timestamp":0');
  return {
    send: (text) => wire.send(text.replaceAll('$WORK', folder)),
    receive: async () => JSON.parse(read(JSON.stringify(await wire.receive()))),
    close: () => wire.close(),
  };
}
