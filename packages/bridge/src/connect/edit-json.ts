import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@hawser/unknown-values/objects';
import {
  findNodeAtLocation,
  getNodeValue,
  type JSONPath,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { ConfigRefused } from './config-refused.ts';
import type { Setting } from './guide.ts';

const BYTE_ORDER_MARK = '\ufeff';

/**
 * The text with the settings in it. Comments, order, indentation and all other members stay; a text that has the
 * settings comes back unchanged. Throws a ConfigRefused.
 */
export function editJson(text: string, settings: readonly Setting[]): string {
  const given = orEmptyObject(text);
  const leaves = settings.flatMap(({ at, value }) => membersOf(given, at, value));
  return leaves.reduce((edited, { at, value }) => withMember(edited, at, value), given);
}

function orEmptyObject(text: string): string {
  return text.trim() === '' ? `${text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''}{}\n` : text;
}

/** JSON has no byte order mark. What follows it stays where it is. */
export function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? ` ${text.slice(1)}` : text;
}

interface Leaf {
  readonly at: readonly string[];
  readonly value: unknown;
}

/** An entry that exists already gets its members one by one, so that others of the user stay. */
function membersOf(text: string, at: readonly string[], value: unknown): readonly Leaf[] {
  if (!isObject(value) || findNodeAtLocation(treeOf(text), [...at])?.type !== 'object') return [{ at, value }];
  return Object.entries(value).map(([name, member]) => ({ at: [...at, name], value: member }));
}

function withMember(text: string, at: readonly string[], value: unknown): string {
  const tree = treeOf(text);
  const found = findNodeAtLocation(tree, [...at]);
  const style = styleOf(text);
  if (found !== undefined) {
    if (isDeepStrictEqual(getNodeValue(found), value)) return text;
    return replaced(text, found.offset, found.length, render(value, at.length, style));
  }
  const depth = existingDepth(tree, at);
  // It was found, and the root is always there.
  const outer = depth === 0 ? tree : (findNodeAtLocation(tree, at.slice(0, depth)) as Node);
  if (outer.type !== 'object') throw new ConfigRefused(`${at.slice(0, depth).join('.')} is not an object`);
  return inserted(text, outer, depth, at.slice(depth), value, style);
}

/** How many of the names lead to something that exists. */
function existingDepth(tree: Node, at: readonly string[]): number {
  const missing = at.findIndex((_, index) => findNodeAtLocation(tree, at.slice(0, index + 1)) === undefined);
  return missing === -1 ? at.length : missing;
}

/** A new last member. What is there stays untouched, so the libraries' own way, which formats its neighbours, is not used. */
function inserted(
  text: string,
  outer: Node,
  depth: number,
  [name = '', ...inner]: readonly string[],
  value: unknown,
  style: Style,
): string {
  const nested = inner.reduceRight((member: unknown, key) => ({ [key]: member }), value);
  const end = outer.offset + outer.length;
  const last = outer.children?.at(-1);
  const isOnOneLine = last !== undefined && !text.slice(outer.offset, end).includes('\n');
  const own = isOnOneLine ? { ...style, lineEnd: undefined } : style;
  const member = `${JSON.stringify(name)}: ${render(nested, depth + 1, own)}`;
  if (last !== undefined) {
    return replaced(text, last.offset + last.length, 0, `,${newLine(own, depth + 1) || ' '}${member}`);
  }
  const rest = text.slice(outer.offset + 1, end - 1);
  const closing = rest.includes('\n') ? '' : newLine(own, depth);
  return replaced(text, outer.offset + 1, 0, `${newLine(own, depth + 1)}${member}${closing}`);
}

/** The text with one item more at the end of a list, which is made if it is missing. Nothing else changes. */
export function withItem(text: string, at: readonly [string, ...string[]], item: object): string {
  const given = orEmptyObject(text);
  const list = findNodeAtLocation(treeOf(given), [...at]);
  const style = styleOf(given);
  const last = list?.children?.at(-1);
  if (list === undefined) return withMember(given, at, [item]);
  if (last === undefined) return replaced(given, list.offset, list.length, render([item], at.length, style));
  const isOnOneLine = !given.slice(list.offset, list.offset + list.length).includes('\n');
  const own = isOnOneLine ? { ...style, lineEnd: undefined } : style;
  const added = `,${newLine(own, at.length + 1) || ' '}${render(item, at.length + 1, own)}`;
  return replaced(given, last.offset + last.length, 0, added);
}

/** The text with another item in the place of one that a list has. */
export function withItemAt(text: string, path: JSONPath, item: object): string {
  const found = findNodeAtLocation(treeOf(text), path);
  if (found === undefined) throw new ConfigRefused(`it has no ${path.join('.')}`);
  return replaced(text, found.offset, found.length, render(item, path.length, styleOf(text)));
}

/** The text without an item of a list or a member of an object. Nothing else changes. */
export function withoutValue(text: string, path: JSONPath): string {
  const value = findNodeAtLocation(treeOf(text), path);
  const node = value?.parent?.type === 'property' ? value.parent : value;
  const siblings = node?.parent?.children;
  if (node?.parent === undefined || siblings === undefined) return text;
  const place = siblings.indexOf(node);
  const [before, after] = [siblings[place - 1], siblings[place + 1]];
  const end = node.offset + node.length;
  if (before !== undefined) return text.slice(0, before.offset + before.length) + text.slice(end);
  if (after !== undefined) return text.slice(0, node.offset) + text.slice(after.offset);
  return text.slice(0, node.offset).trimEnd() + text.slice(end).trimStart();
}

function replaced(text: string, offset: number, length: number, content: string): string {
  return text.slice(0, offset) + content + text.slice(offset + length);
}

interface Style {
  readonly indent: string;
  /** Undefined for everything on one line. */
  readonly lineEnd: string | undefined;
}

/** As the file itself is indented. */
function styleOf(text: string): Style {
  const [, indent = '  '] = /^([ \t]+)"/m.exec(text) ?? [];
  return { indent, lineEnd: text.includes('\r\n') ? '\r\n' : '\n' };
}

function newLine({ indent, lineEnd }: Style, depth: number): string {
  return lineEnd === undefined ? '' : lineEnd + indent.repeat(depth);
}

function render(value: unknown, depth: number, style: Style): string {
  if (Array.isArray(value)) {
    const hasObjects = value.some((item) => typeof item === 'object');
    const items = value.map((item) => (hasObjects ? newLine(style, depth + 1) : '') + render(item, depth + 1, style));
    const isOnLines = hasObjects && style.lineEnd !== undefined;
    return isOnLines ? `[${items.join(',')}${newLine(style, depth)}]` : `[${items.join(', ')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${newLine(style, depth + 1)}${JSON.stringify(name)}: ${render(member, depth + 1, style)}`,
  );
  return `{${members.join(style.lineEnd === undefined ? ', ' : ',')}${newLine(style, depth)}}`;
}

function treeOf(text: string): Node {
  const errors: ParseError[] = [];
  const tree = parseTree(withoutMark(text), errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split('\n').length;
    throw new ConfigRefused(`line ${line} is not valid JSON (${printParseErrorCode(error.error)})`);
  }
  if (tree?.type !== 'object') throw new ConfigRefused('it does not contain a JSON object');
  return tree;
}
