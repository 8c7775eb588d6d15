import { isObject } from '@hawser/unknown-values/objects';
import { type ParseError, parse } from 'jsonc-parser';
import { ConfigRefused } from './config-refused.ts';
import { withItem, withItemAt, withoutMark, withoutValue } from './edit-json.ts';

/** The list of an agent's configuration that its hooks are in. */
export interface HookList {
  readonly at: readonly [string, ...string[]];
  /** Whether an entry of the list is ours. */
  readonly isOurs: (entry: unknown) => boolean;
}

/** The text with our entry in the list, instead of an older one. Other entries, comments and order stay. */
export function withHook(text: string, list: HookList, entry: object): string {
  const current = entriesIn(text, list.at);
  const place = current.findIndex(list.isOurs);
  if (JSON.stringify(current[place]) === JSON.stringify(entry)) return text;
  return place === -1 ? withItem(text, list.at, entry) : withItemAt(text, [...list.at, place], entry);
}

/** The text without our entries, and without objects that are empty after that. */
export function withoutHook(text: string, { at, isOurs }: HookList): string {
  const place = entriesIn(text, at).findIndex(isOurs);
  if (place === -1) return text;
  const rest = withoutValue(text, [...at, place]);
  const next = withoutHook(rest, { at, isOurs });
  return withoutEmpty(next, at);
}

/** Whether our entry is in the list. */
export function hasHook(text: string, { at, isOurs }: HookList): boolean {
  return entriesIn(text, at).some(isOurs);
}

function withoutEmpty(text: string, at: readonly string[]): string {
  if (at.length === 0) return text;
  const value = valueAt(text, at);
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return isEmpty ? withoutEmpty(withoutValue(text, [...at]), at.slice(0, -1)) : text;
}

function entriesIn(text: string, at: readonly string[]): readonly unknown[] {
  const value = valueAt(text, at);
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new ConfigRefused(`${at.join('.')} is not a list`);
  return value;
}

/** Undefined if it is not there. Throws a ConfigRefused if the text is not a JSON object. */
export function valueAt(text: string, at: readonly string[]): unknown {
  const errors: ParseError[] = [];
  const root: unknown = text.trim() === '' ? {} : parse(withoutMark(text), errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isObject(root)) throw new ConfigRefused('it does not contain a JSON object');
  let value: unknown = root;
  for (const name of at) {
    if (value === undefined) return undefined;
    if (!isObject(value)) throw new ConfigRefused(`${at.join('.')} can't be added to it`);
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}
