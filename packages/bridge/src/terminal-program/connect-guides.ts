import { AGENTS, calledName } from '../agents/agents.ts';
import type { Environment } from '../command-line/environment.ts';
import { snippetOf } from '../connect/config-change.ts';
import { connectPlaces } from '../connect/places.ts';
import type { ConnectGuide } from '../terminal/views/agents/agent-items.ts';

/** What `hawser connect` says of each kind of agent, for a view. */
export function connectGuides(folder: string, environment: Environment): readonly ConnectGuide[] {
  const places = connectPlaces(folder, environment);
  return AGENTS.flatMap((agent) => {
    if (agent.guide === undefined) return [];
    const name = calledName(agent);
    const { steps, file } = agent.guide(places);
    return {
      name,
      title: agent.title,
      steps: [
        ...steps,
        `As an MCP server, with the editor's tools: hawser connect ${name} --write puts this into ${file.path}:`,
      ],
      text: snippetOf(file),
    };
  });
}
