/** What the scripted model does in one turn: it says something, or calls a tool, with an object or, where tools take one, a text. */
export type Turn = { readonly say: string } | { readonly use: string; readonly input: object | string };

/** One HTTP interface by which agents reach a model. */
export interface ModelWire {
  /** The requests that it answers, by path without the query. */
  accepts(path: string): boolean;
  /** Whether the model may call a tool in its answer. Agents also ask for titles and the like, without tools. */
  offersTools(body: RequestBody): boolean;
  /** The answer as a body, with its content type. `id` differs from turn to turn. */
  answer(turn: Turn, body: RequestBody, request: { readonly path: string; readonly id: string }): Answer;
}

export interface Answer {
  readonly contentType: string;
  readonly body: string;
}

/** A parsed JSON object that an agent sent; each wire reads the members it knows. */
export type RequestBody = { readonly [member: string]: unknown };

export function isNonEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

export const json = (value: object): Answer => ({ contentType: 'application/json', body: JSON.stringify(value) });

/** Server-sent events, named by their `type` where they have one. */
export function eventStream(events: readonly object[], end = ''): Answer {
  const lines = events.map((event) => {
    const name = 'type' in event ? `event: ${event.type}\n` : '';
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return { contentType: 'text/event-stream', body: lines.join('') + end };
}
