import type { RequestContext, Server } from '@hawser/mcp';
import { DEFAULT_SESSION, type Sessions } from '../sessions.ts';
import { PLAIN, renderText } from '../tools/render.ts';
import { type ResourceName, resourceOf } from './uris.ts';

const DESCRIPTIONS: Readonly<Record<ResourceName, string>> = {
  transcript: 'The calls of a Lisp session and their answers',
  definitions: 'What is defined in the current package of a Lisp session, with places',
  output: 'All output and warnings of the last call of a Lisp session',
};

const NOTHING_DEFINED = { ...PLAIN, nothing: 'Nothing is defined' };

/** Adds the resources of each session. Those of the default session are listed, too, since clients show that list. */
export function addResources(server: Server, sessions: Sessions): void {
  for (const name of Object.keys(DESCRIPTIONS) as ResourceName[]) {
    const common = { name, description: DESCRIPTIONS[name], mimeType: 'text/plain' };
    server.resource({ ...common, uri: resourceOf(DEFAULT_SESSION, name) }, (_uri, context) =>
      read(sessions, DEFAULT_SESSION, name, context),
    );
    server.resourceTemplate(
      {
        ...common,
        uriTemplate: `lisp://sessions/{session}/${name}`,
        complete: { session: () => sessions.list().map((session) => session.name) },
      },
      ({ session = '' }, _uri, context) =>
        sessions.transcript(session) === undefined ? undefined : read(sessions, session, name, context),
    );
  }
}

async function read(sessions: Sessions, session: string, name: ResourceName, { signal }: RequestContext) {
  const transcript = sessions.transcript(session);
  if (name === 'transcript') return String(transcript ?? '');
  if (name === 'output') return transcript?.lastOutput ?? '';
  // Reading must not start a Lisp.
  if (!sessions.list().some((running) => running.name === session)) return NOTHING_DEFINED.nothing;
  const operation = { kind: 'list-definitions', limit: 1000 } as const;
  const answer = await sessions.perform(session, { operation, signal });
  return renderText(answer, NOTHING_DEFINED);
}
