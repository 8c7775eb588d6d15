import type { Prompt, Resource, Tool } from '@hawser/mcp';
import { propertiesOf, typesOf } from './describe-schema.ts';
import { shellWord } from './shell-word.ts';

/** What a shell can complete with. */
export interface Completable {
  readonly commands: readonly string[];
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly prompts: readonly Prompt[];
}

/** In the form of `readline`: what fits, and the part of the line that it replaces. */
export type Completions = [matches: string[], word: string];

/** Completes the last word of a line: a command or tool, then what belongs to it. A quote may be open. */
export function completionsFor(line: string, known: Completable): Completions {
  const [, before = '', word = ''] = /^((?:(?:[^\s'"]|'[^']*'|"[^"]*")*\s+)*)(.*)$/s.exec(line) ?? [];
  const words = before
    .trim()
    .split(/\s+/)
    .filter((each) => each !== '');
  const typed = unquoted(word);
  return [candidates(words, word, known).filter((candidate) => unquoted(candidate).startsWith(typed)), word];
}

function candidates(words: readonly string[], word: string, known: Completable): string[] {
  const [first, second] = words;
  const { commands, tools, resources, prompts } = known;
  if (first === undefined) {
    const names = word.startsWith(':') ? commands : tools.map(({ name }) => name);
    return names.map((name) => `${name} `);
  }
  if (first === ':read') return resources.map(({ uri }) => uri);
  if (first === ':describe') return tools.map(({ name }) => name);
  if (first === ':prompt') {
    const prompt = prompts.find(({ name }) => name === second);
    if (prompt === undefined) return prompts.map(({ name }) => `${name} `);
    return unused(prompt.arguments?.map(({ name }) => name) ?? [], words).map((name) => `${name}=`);
  }
  const tool = tools.find(({ name }) => name === first);
  return tool === undefined ? [] : argumentCandidates(tool, words, word);
}

function argumentCandidates({ inputSchema }: Tool, words: readonly string[], word: string): string[] {
  const properties = propertiesOf(inputSchema);
  const at = word.indexOf('=');
  if (at < 0)
    return unused(
      properties.map(({ name }) => name),
      words,
    ).map((name) => `${name}=`);
  const name = word.slice(0, at);
  const schema = properties.find((property) => property.name === name)?.schema ?? {};
  const values = Array.isArray(schema.enum) ? schema.enum : typesOf(schema).includes('boolean') ? [true, false] : [];
  return values.map((value) => `${name}=${shellWord(String(value))} `);
}

/** For comparison. */
function unquoted(word: string): string {
  return word.replace(/['"\\]/g, '');
}

function unused(names: readonly string[], words: readonly string[]): string[] {
  return names.filter((name) => !words.some((word) => word.startsWith(`${name}=`)));
}
