import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTranscript } from '../../packages/client/src/transcript.ts';

const transcripts = join(import.meta.dirname, '..', 'agent-transcripts');

interface Message {
  readonly method?: string;
  readonly params?: { readonly [name: string]: unknown };
}

/** What a message is without its values: its method, or the tool that it calls, and the names of its parameters. */
export function shapeOf(message: unknown): string | undefined {
  const { method, params = {} } = message as Message;
  if (method === undefined) return undefined;
  if (method === 'tools/call') return `${method} ${params.name} ${namesIn(params.arguments)}`;
  return `${method} ${namesIn(params)}`;
}

/** The shapes of what agents send in the transcript of an adapter. */
export function shapesInTranscript(adapter: string): Set<string> {
  const shapes = new Set<string>();
  for (const { lines } of parseTranscript(readFileSync(join(transcripts, `${adapter}.transcript`), 'utf8'))) {
    for (const line of lines) {
      const shape = line.kind === 'message' && line.from === 'client' ? shapeOf(JSON.parse(line.text)) : undefined;
      if (shape !== undefined) shapes.add(shape);
    }
  }
  return shapes;
}

function namesIn(value: unknown): string {
  const names = Object.keys(value ?? {}).filter((name) => name !== '_meta');
  return `{${names.toSorted().join(', ')}}`;
}
