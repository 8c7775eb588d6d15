import type { ConnectGuide } from '../terminal/views/agents/agents-view.ts';

/** How each kind of agent is connected to a bridge of this folder. */
export function connectGuides(folder: string): readonly ConnectGuide[] {
  return [
    {
      title: 'Claude Code',
      steps: ['Start it in the workspace. It connects by itself, or when you type /ide.'],
      text: `cd ${quoted(folder)} && claude --ide`,
    },
  ];
}

/** For a shell. */
function quoted(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
