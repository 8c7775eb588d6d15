import type { ElicitParams, ElicitResult } from '@hawser/mcp';
import { valueFor } from '../../client/argument-values.ts';
import { propertiesOf, type SchemaProperty, typeInWords } from '../../client/describe-schema.ts';
import { askLine } from '../../terminal/ask.ts';
import type { TerminalOptions } from '../../terminal/terminal.ts';
import { escaped } from '../../terminal/wrapping.ts';
import type { Environment } from '../environment.ts';

type Content = NonNullable<ElicitResult['content']>;
export type Elicit = (params: ElicitParams, context: { readonly signal: AbortSignal }) => Promise<ElicitResult>;

/** Asks the user for a server, in the terminal; without one it declines and says so. */
export function elicitIn(environment: Environment): Elicit {
  return async (params, { signal }) => {
    const { terminal, stderr } = environment;
    if (terminal === undefined) {
      stderr(escaped(`hawser: The server asks: ${params.message}`));
      stderr('hawser: Declined, because there is no terminal to ask in.');
      return { action: 'decline' };
    }
    stderr(escaped(`The server asks: ${params.message}`));
    if (!('requestedSchema' in params)) {
      stderr(escaped(`It wants you to open ${params.url}, which hawser does not do.`));
      return { action: 'decline' };
    }
    return await askForm(propertiesOf(params.requestedSchema), terminal, stderr, signal);
  };
}

async function askForm(
  properties: readonly SchemaProperty[],
  terminal: TerminalOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const first = await askLine('Answer? [Y/n] ', terminal, signal);
  if (first === undefined) return { action: 'cancel' };
  if (/^\s*n/i.test(first)) return { action: 'decline' };
  const entries: [string, unknown][] = [];
  for (const property of properties) {
    const answer = await askField(property, terminal, say, signal);
    if (answer === undefined) return { action: 'cancel' };
    if (answer !== 'skipped') entries.push([property.name, answer.value]);
  }
  return { action: 'accept', content: Object.fromEntries(entries) as Content };
}

/** Asks until the answer fits. Undefined if the user cancels. */
async function askField(
  { name, schema, isRequired }: SchemaProperty,
  terminal: TerminalOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<{ readonly value: unknown } | 'skipped' | undefined> {
  const { title, description, default: preset, oneOf } = schema;
  const label = typeof title === 'string' ? title : name;
  const choices = Array.isArray(oneOf) ? oneOf.map((each) => (each as { const?: unknown }).const) : undefined;
  const type = choices === undefined ? schema : { enum: choices };
  const details = [typeInWords(type), ...(isRequired ? [] : ['optional'])].join(', ');
  const fallback = preset === undefined ? '' : ` [${typeof preset === 'string' ? preset : JSON.stringify(preset)}]`;
  if (typeof description === 'string') say(escaped(description));
  for (;;) {
    const text = await askLine(escaped(`${label} (${details})${fallback}: `), terminal, signal);
    if (text === undefined) return undefined;
    // The client fills in the default of a field that is left out.
    if (text === '' && (preset !== undefined || !isRequired)) return 'skipped';
    const value = valueFor([text], type);
    if (!(value instanceof Error)) return value;
    say(escaped(`${label}: ${value.message}`));
  }
}
