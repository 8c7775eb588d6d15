import type { RequestContext, Server } from '@hawser/mcp';
import type { Sessions } from '../sessions.ts';
import { PLAIN, renderText } from '../tools/render.ts';
import type { ResourceName } from './uris.ts';

const DESCRIPTIONS: Readonly<Record<ResourceName, string>> = {
  transcript: 'The calls of a Lisp session and their answers',
  definitions: 'What is defined in the current package of a Lisp session, with places',
  output: 'All output and warnings of the last call of a Lisp session',
};

/** Adds the resources of each session. */
export function addResources(server: Server, sessions: Sessions): void {
  for (const name of Object.keys(DESCRIPTIONS) as ResourceName[]) {
    server.resourceTemplate(
      {
        uriTemplate: `lisp://sessions/{session}/${name}`,
        name,
        description: DESCRIPTIONS[name],
        mimeType: 'text/plain',
        complete: { session: () => sessions.list().map((session) => session.name) },
      },
      async ({ session = '' }, _uri, context) => {
        if (!sessions.list().some((running) => running.name === session)) return undefined;
        return read(sessions, session, name, context);
      },
    );
  }
}

async function read(sessions: Sessions, session: string, name: ResourceName, { signal }: RequestContext) {
  const transcript = sessions.transcript(session);
  if (name === 'transcript') return String(transcript ?? '');
  if (name === 'output') return transcript?.lastOutput ?? '';
  const operation = { kind: 'list-definitions', limit: 1000 } as const;
  const answer = await sessions.perform(session, { operation, signal });
  return renderText(answer, { ...PLAIN, nothing: 'Nothing is defined' });
}
