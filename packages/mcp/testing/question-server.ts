import type { InputRequest } from '../src/protocol/stateless.ts';
import type { RequestContext } from '../src/server/context.ts';
import type { ToolOutcome } from '../src/server/features/tools.ts';
import { Server } from '../src/server/server.ts';
import type { Json } from './json.ts';

const INFO = { name: 'test', version: '1.2.3' };
export const ALL = { elicitation: {}, sampling: {}, roots: {} };
export const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
export const PROMPT = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: '?' } }],
  maxTokens: 10,
};

export const accept = (name: unknown) => ({ action: 'accept', content: { name } });
export const form = (message: string, requestedSchema: object = FORM): InputRequest => ({
  method: 'elicitation/create',
  params: { message, requestedSchema },
});

/** A server with one tool, called `it`. */
export function serverWith(handler: (context: RequestContext) => ToolOutcome | Promise<ToolOutcome>): Server {
  const server = new Server(INFO);
  server.tool({ name: 'it' }, (_args, context) => handler(context));
  return server;
}

export const textOf = (response: Json) => response.result?.content?.[0]?.text;
