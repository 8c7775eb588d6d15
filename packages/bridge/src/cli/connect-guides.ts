import { snippetOf } from '../connect/config-change.ts';
import { GUIDE_NAMES } from '../connect/guide.ts';
import { GUIDES } from '../connect/guides.ts';
import type { ConnectGuide } from '../terminal/views/agents/agent-items.ts';
import { connectPlaces } from './connect-places.ts';
import type { Environment } from './environment.ts';

/** What `hawser connect` says of each kind of agent, for a view. */
export function connectGuides(folder: string, environment: Environment): readonly ConnectGuide[] {
  const places = connectPlaces(folder, environment);
  return GUIDE_NAMES.map((name) => {
    const { title, steps, file } = GUIDES[name](places);
    return {
      name,
      title,
      steps: [
        ...steps,
        `As an MCP server, with the editor's tools: hawser connect ${name} --write puts this into ${file.path}:`,
      ],
      text: snippetOf(file),
    };
  });
}
