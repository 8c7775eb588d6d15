import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TmuxScreen } from '../../packages/bridge/testing/tmux.ts';
import { isWanted } from './all.ts';
import { CHANGED, END, GATE_CHECKS, type GateCheck, gated, PROMPT, textOf } from './gated.ts';
import { install } from './install.ts';
import { LINES, TEXT } from './lines.ts';
import { AgentStage } from './stage.ts';
import type { Turn } from './turn.ts';
import './table-reporter.ts';

// Gates of agents that change files only with a terminal in their default mode. They are connected to the bridge, so their
// own diff is a question, too: the user is asked once.

for (const { agent, inTerminal, edit, write } of gated) {
  if (inTerminal === undefined) continue;
  const { mode, limits } = inTerminal;

  describe.runIf(isWanted(agent))(
    `the gate of ${agent.title} ${agent.version}, ${mode}, in a terminal`,
    { timeout: 200_000 },
    () => {
      let stage: AgentStage;
      let screen: TmuxScreen;

      beforeAll(() => install(agent), 600_000);
      beforeEach(async () => {
        stage = await AgentStage.open(agent);
        await stage.startBridge();
      });
      afterEach(() => stage.close());

      const start = async (turns: readonly Turn[], ...gate: string[]) => {
        screen = await stage.startAgent({ gate });
        stage.model.script([...turns, { say: END }]);
        await stage.prompt(PROMPT);
      };
      const told = () => stage.model.received.at(-1) ?? '';
      /** Without words: its own question has no room for them. */
      const note = (text: string) => (limits.asked === undefined ? ['--note', text] : []);
      const expectTold = (text: string) => limits.asked === undefined && expect(told()).toContain(text);

      const checks: { readonly [C in GateCheck]: () => Promise<void> } = {
        accepted: async () => {
          await start(edit(stage.path));
          await stage.decide('--accept');
          await screen.shows(END);
          expect(stage.fileText()).toBe(textOf(CHANGED));
          await stage.proposals(0);
        },
        inPart: async () => {
          await start(edit(stage.path));
          await stage.decide('--accept', '--hunks', '2', ...note('two stays'));
          await screen.shows(limits.asked === undefined ? END : (agent.acceptedInPart ?? END));
          expect(stage.fileText()).toBe(textOf(LINES.with(10, 'ELEVEN')));
          expectTold('two stays');
        },
        newFile: async () => {
          const file = join(dirname(stage.path), 'n.txt');
          await start(write(file, 'new one\nnew two\n'));
          await stage.proposals(1);
          expect(existsSync(file)).toBe(false);
          await stage.decide('--accept');
          await screen.shows(END);
          expect(readFileSync(file, 'utf8')).toBe('new one\nnew two\n');
        },
        asked: async () => {
          await start(edit(stage.path));
          await stage.decide('--ask', '--note', 'in French, please');
          await screen.shows(END);
          expect(stage.fileText()).toBe(TEXT);
          expect(told()).toContain('in French, please');
        },
        rejected: async () => {
          await start(edit(stage.path));
          await stage.decide('--reject', ...note('not this file'));
          await screen.shows(limits.asked === undefined ? END : (agent.rejected ?? END));
          expect(stage.fileText()).toBe(TEXT);
          expectTold('not this file');
        },
        undecided: async () => {
          await start(edit(stage.path), '--limit', '2');
          await screen.shows(END);
          expect(stage.fileText()).toBe(TEXT);
          expect(told()).toContain('Nobody decided in time');
        },
        killed: async () => {
          await start(edit(stage.path));
          await stage.proposals(1);
          await stage.killBridge();
          // One that asks itself goes on asking, in its terminal.
          await screen.shows(limits.asked === undefined ? END : (agent.decision?.shows ?? END));
          expect(stage.fileText()).toBe(TEXT);
        },
        interrupted: async () => {
          await start(edit(stage.path));
          await stage.proposals(1);
          await stage.endAgent();
          await stage.proposals(0);
          expect(stage.fileText()).toBe(TEXT);
        },
      };

      for (const gateCheck of Object.keys(GATE_CHECKS) as GateCheck[]) {
        const limit = limits[gateCheck];
        const meta = { agent: agent.name, mode, gateCheck, ...(limit !== undefined && { limit }) };
        it.skipIf(limit !== undefined)(
          GATE_CHECKS[gateCheck] + (limit === undefined ? '' : `: ${limit}`),
          { meta },
          async () => {
            await checks[gateCheck]();
          },
        );
      }
    },
  );
}
