import type { ElicitParams, ElicitResult } from '@hawser/mcp';
import { escaped } from '@hawser/terminal-text/wrapping';
import { valueFor } from '../argument-values.ts';
import { propertiesOf, type SchemaProperty, titledChoices, typeInWords, typesOf } from '../describe-schema.ts';

type Content = NonNullable<ElicitResult['content']>;
export type Elicit = (params: ElicitParams, context: { readonly signal: AbortSignal }) => Promise<ElicitResult>;

/** Asks the user one question; undefined if the user cancels. */
export type Ask = (question: string, signal: AbortSignal) => Promise<string | undefined>;

/** Asks the user for a server; without a way to ask it declines. Either way it says so. */
export function elicitWith(ask: Ask | undefined, say: (line: string) => void): Elicit {
  return async (params, { signal }) => {
    say(escaped(`The server asks: ${params.message}`));
    if (ask === undefined) {
      say('hawser: Declined, because there is no terminal to ask in.');
      return { action: 'decline' };
    }
    if (!('requestedSchema' in params)) {
      say(escaped(`It wants you to open ${params.url}, which hawser does not do.`));
      return { action: 'decline' };
    }
    return await askForm(propertiesOf(params.requestedSchema), ask, say, signal);
  };
}

async function askForm(
  properties: readonly SchemaProperty[],
  ask: Ask,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<ElicitResult> {
  for (;;) {
    const first = await ask('Answer? [Y/n] ', signal);
    if (first === undefined) return { action: 'cancel' };
    if (/^\s*no?\s*$/i.test(first)) return { action: 'decline' };
    if (/^\s*(y(es)?)?\s*$/i.test(first)) break;
    say('Answer y or n.');
  }
  const entries: [string, unknown][] = [];
  for (const property of properties) {
    const answer = await askField(property, ask, say, signal);
    if (answer === undefined) return { action: 'cancel' };
    if (answer !== 'skipped') entries.push([property.name, answer.value]);
  }
  return { action: 'accept', content: Object.fromEntries(entries) as Content };
}

/** Asks until the answer fits. Undefined if the user cancels. */
async function askField(
  { name, schema, isRequired }: SchemaProperty,
  ask: Ask,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<{ readonly value: unknown } | 'skipped' | undefined> {
  const { title, description, default: preset } = schema;
  const label = typeof title === 'string' ? title : name;
  const details = [typeToType(schema), ...(isRequired ? [] : ['optional'])].join(', ');
  const fallback = preset === undefined ? '' : ` [${typeof preset === 'string' ? preset : JSON.stringify(preset)}]`;
  if (typeof description === 'string') say(escaped(description));
  for (const [value, meaning] of titledChoices(schema)) say(escaped(`  ${value}: ${meaning}`));
  for (;;) {
    const text = await ask(escaped(`${label} (${details})${fallback}: `), signal);
    if (text === undefined) return undefined;
    // The client fills in the default of a field that is left out.
    if (text === '' && (preset !== undefined || !isRequired)) return 'skipped';
    const value = answerIn(text, schema);
    if (!(value instanceof Error)) return value;
    say(escaped(`${label}: ${value.message}`));
  }
}

type Schema = SchemaProperty['schema'];

/** What the user can type. */
function typeToType(schema: Schema): string {
  const types = typesOf(schema);
  if (types.length === 1 && types[0] === 'boolean') return 'y or n';
  return types.includes('array') ? `${typeInWords(schema)}, separated by commas` : typeInWords(schema);
}

function answerIn(text: string, schema: Schema): { readonly value: unknown } | Error {
  const types = typesOf(schema);
  if (types.length === 1 && types[0] === 'boolean') {
    if (/^\s*(y(es)?|true)\s*$/i.test(text)) return { value: true };
    return /^\s*(no?|false)\s*$/i.test(text) ? { value: false } : new Error('Answer y or n.');
  }
  const isJson = text.trimStart().startsWith('[');
  return valueFor(types.includes('array') && !isJson ? text.split(',').map((item) => item.trim()) : [text], schema);
}
