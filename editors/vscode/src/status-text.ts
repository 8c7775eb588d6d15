/** What the status bar tells. */
export interface Facts {
  readonly link: 'off' | 'connecting' | 'connected';
  /** Why it is off. */
  readonly problem?: string | undefined;
  readonly agents: readonly string[];
  readonly paused: boolean;
  readonly waiting: number;
  /** Agents that are left to the extension of their vendor. */
  readonly left: readonly string[];
}

export interface StatusText {
  readonly text: string;
  readonly tooltip: string;
  readonly isUrgent: boolean;
}

export function statusText({ link, problem, agents, paused, waiting, left }: Facts): StatusText {
  const lines: string[] = [];
  const say = (text: string, isUrgent = false): StatusText => ({
    text,
    tooltip: [...lines, ...leftLines(left)].join('\n'),
    isUrgent,
  });
  if (link === 'off') {
    lines.push(problem === undefined ? 'Hawser is off.' : `Hawser is not connected: ${problem}`);
    return say('$(debug-disconnect) Hawser');
  }
  if (link === 'connecting') {
    lines.push('Hawser is starting.');
    return say('$(sync~spin) Hawser');
  }
  lines.push(agents.length === 0 ? 'No agent is connected.' : `Connected: ${agents.join(', ')}`);
  if (paused) {
    lines.unshift('Paused: agents see nothing and can propose nothing.');
    return say(waiting > 0 ? `$(debug-pause) Hawser ${waiting}` : '$(debug-pause) Hawser');
  }
  if (waiting > 0) {
    lines.unshift(waiting === 1 ? '1 change waits for your decision.' : `${waiting} changes wait for your decision.`);
    return say(`$(git-pull-request) Hawser ${waiting}`, true);
  }
  return say(agents.length === 0 ? '$(plug) Hawser' : `$(plug) ${agents.join(', ')}`);
}

function leftLines(left: readonly string[]): string[] {
  if (left.length === 0) return [];
  const [names, its] = [left.join(', '), left.length === 1 ? 'its own extension' : 'their own extensions'];
  return [`${names}: left to ${its} (setting hawser.agents)`];
}
