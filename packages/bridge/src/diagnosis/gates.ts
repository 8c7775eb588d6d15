import { messageOf } from '@hawser/unknown-values/thrown';
import { realFolders } from '@hawser/user-files/real-folders';
import { calledName } from '../agents/agents.ts';
import type { Environment } from '../command-line/environment.ts';
import { gatedAgents, gateStates } from '../gates/gates.ts';
import { readRules, rulesPath } from '../review/rules/rules-file.ts';
import type { Finding } from './finding.ts';

/** Which agents wait for the user's decision before they change a file. */
export async function gateFindings(environment: Environment): Promise<Finding[]> {
  const [workspace = environment.cwd] = realFolders([environment.cwd]);
  const found = gatedAgents().map(async (agent): Promise<Finding> => {
    const finding = { id: `gate-${agent.name}`, title: `${agent.title} gate` };
    const states = await gateStates(agent, workspace, environment);
    const [first] = states;
    if (first === undefined) {
      return {
        ...finding,
        status: 'off',
        detail: 'it may change files without asking',
        advice: `hawser gate on ${calledName(agent)}`,
      };
    }
    const other = states.find(({ state }) => state !== 'on');
    const detail = states.map(({ state, path }) => `${state}: ${path}`).join(', ');
    if (other === undefined) return { ...finding, status: 'ok', detail };
    return { ...finding, status: 'warning', detail, advice: other.advice ?? `Look at ${other.path}` };
  });
  return [...(await Promise.all(found)), rulesFinding(environment)];
}

/** What is decided without asking. */
function rulesFinding(environment: Environment): Finding {
  const finding = { id: 'rules', title: 'rules' };
  try {
    const { length } = readRules(environment);
    const detail = length === 0 ? 'none: you are asked about every change' : `${length} in ${rulesPath(environment)}`;
    return { ...finding, status: 'ok', detail };
  } catch (error) {
    return {
      ...finding,
      status: 'problem',
      detail: messageOf(error),
      advice: 'Mend it: until then no rule is followed.',
    };
  }
}
