import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isWanted, realAgents } from './all.ts';
import { checks } from './checks.ts';
import { install } from './install.ts';
import { CHECKS, type Check } from './real-agent.ts';
import { shapesInTranscript } from './sent-messages.ts';
import { AgentStage } from './stage.ts';
import './table-reporter.ts';

// Run by `npm run test:real -- agents`, not by `npm test`: the agents are large, and some take long to start.

const CHECK_TIMEOUT_MS = 400_000;
const INSTALL_TIMEOUT_MS = 600_000;

for (const agent of realAgents.filter(isWanted)) {
  describe(`${agent.title} ${agent.version}`, () => {
    let stage: AgentStage | undefined;
    const sent = new Set<string>();
    let connection: 'not tried' | 'failed' | 'works' = 'not tried';

    beforeAll(() => install(agent), INSTALL_TIMEOUT_MS);

    afterEach(async ({ task }) => {
      task.meta.refusedHosts = [...(stage?.model.refusedHosts ?? [])];
      for (const shape of stage?.sent ?? []) sent.add(shape);
      await stage?.close();
      stage = undefined;
    });

    for (const check of Object.keys(CHECKS) as Check[]) {
      const limit = agent.limits[check];
      const meta = { agent: agent.name, check, ...(limit === undefined ? {} : { limit }) };
      it(CHECKS[check], { timeout: CHECK_TIMEOUT_MS, meta }, async (context) => {
        if (limit !== undefined) context.skip(limit);
        if (connection === 'failed') context.skip('It does not connect.');
        if (check === 'connect') connection = 'failed';
        stage = await AgentStage.open(agent);
        await checks[check](stage, agent);
        if (check === 'connect') connection = 'works';
      });
    }

    it('sends no message that is not in the transcript of its adapter', { meta: { agent: agent.name } }, (context) => {
      if (sent.size === 0) context.skip('No check has run.');
      const known = shapesInTranscript(agent.adapter);
      expect([...sent].filter((shape) => !known.has(shape))).toEqual([]);
    });
  });
}
