import { isObject } from '@hawser/unknown-values/objects';
import { pointerToken } from './pointer.ts';
import { keywordIn, type Member, type Option, type Parts, type Schema, type Shape, shapeOf } from './schema-shape.ts';

/** What the user has entered so far, whether or not it is a value yet. */
export type Draft =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
  /** -1 while nothing is chosen. */
  | { readonly kind: 'choice'; readonly index: number }
  | { readonly kind: 'choices'; readonly indices: readonly number[] }
  | { readonly kind: 'object'; readonly members: readonly MemberDraft[]; readonly others: readonly OtherDraft[] }
  | { readonly kind: 'list'; readonly items: readonly ItemDraft[] }
  | { readonly kind: 'variants'; readonly index: number; readonly draft: Draft }
  | { readonly kind: 'json'; readonly text: string };

export interface MemberDraft {
  readonly name: string;
  /** Whether the value has this member. */
  readonly isIncluded: boolean;
  readonly draft: Draft;
}

/** A member that the schema does not name. */
export interface OtherDraft {
  readonly key: string;
  readonly name: string;
  readonly draft: Draft;
}

export interface ItemDraft {
  /** Stays with the item when others are removed. */
  readonly key: string;
  readonly draft: Draft;
}

export interface FieldProblem {
  /** A JSON pointer such as `#/a/0`. */
  readonly path: string;
  readonly message: string;
}

export interface DraftValue {
  readonly value: unknown;
  /** Why the value is incomplete. */
  readonly problems: readonly FieldProblem[];
}

/** Deeper schemas are written as JSON: a schema can contain itself. */
const MAX_DEPTH = 10;

/** What a field can be at this depth. */
export function shapeAt(parts: Parts, root: Schema, depth: number): Shape {
  return depth > MAX_DEPTH ? { kind: 'json' } : shapeOf(parts, root);
}

/** An empty form, with the defaults of the schema. */
export function newDraft(parts: Parts, root: Schema, depth = 0): Draft {
  const preset = keywordIn(parts, root, 'default');
  if (preset !== undefined) return draftOf(preset, parts, root, depth);
  const shape = shapeAt(parts, root, depth);
  switch (shape.kind) {
    case 'text':
    case 'number':
      return { kind: shape.kind, text: '' };
    case 'boolean':
      return { kind: 'boolean', value: false };
    case 'null':
      return { kind: 'null' };
    case 'choice':
      return { kind: 'choice', index: shape.options.length === 1 ? 0 : -1 };
    case 'choices':
      return { kind: 'choices', indices: [] };
    case 'list':
      return { kind: 'list', items: [] };
    case 'json':
      return { kind: 'json', text: '' };
    case 'variants':
      return { kind: 'variants', index: 0, draft: newDraft(shape.variants[0]?.parts ?? [], root, depth + 1) };
    case 'object':
      return { kind: 'object', members: shape.members.map((member) => newMember(member, root, depth)), others: [] };
  }
}

function newMember({ name, parts, isRequired }: Member, root: Schema, depth: number): MemberDraft {
  const isIncluded = isRequired || keywordIn(parts, root, 'default') !== undefined;
  return isIncluded
    ? { name, isIncluded, draft: newDraft(parts, root, depth + 1) }
    : absentMember(name, parts, root, depth);
}

/** A simple one can be filled in at once. Others are made when they are included: a schema can contain itself. */
function absentMember(name: string, parts: Parts, root: Schema, depth: number): MemberDraft {
  const isSimple = SIMPLE.has(shapeAt(parts, root, depth + 1).kind);
  return { name, isIncluded: false, draft: isSimple ? newDraft(parts, root, depth + 1) : EMPTY };
}

/** Fields with one input. */
export const SIMPLE: ReadonlySet<Draft['kind']> = new Set(['text', 'number', 'boolean', 'choice']);

/** Stands for a draft that is made when it is needed. */
export const EMPTY: Draft = { kind: 'json', text: '' };

/** A form that shows a value. What does not fit the schema is shown as JSON. */
export function draftOf(value: unknown, parts: Parts, root: Schema, depth = 0): Draft {
  const json: Draft = { kind: 'json', text: JSON.stringify(value, undefined, 2) ?? '' };
  const shape = shapeAt(parts, root, depth);
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string' ? { kind: 'text', text: value } : json;
    case 'number':
      return typeof value === 'number' ? { kind: 'number', text: String(value) } : json;
    case 'boolean':
      return typeof value === 'boolean' ? { kind: 'boolean', value } : json;
    case 'null':
      return value === null ? { kind: 'null' } : json;
    case 'choice': {
      const index = indexOf(value, shape.options);
      return index < 0 ? json : { kind: 'choice', index };
    }
    case 'choices': {
      const indices = Array.isArray(value) ? value.map((item) => indexOf(item, shape.options)) : [-1];
      return indices.includes(-1) ? json : { kind: 'choices', indices };
    }
    case 'list':
      if (!Array.isArray(value)) return json;
      return {
        kind: 'list',
        items: value.map((item) => ({ key: crypto.randomUUID(), draft: draftOf(item, shape.item, root, depth + 1) })),
      };
    case 'variants': {
      const drafts = shape.variants.map((variant) => draftOf(value, variant.parts, root, depth + 1));
      const parts = (index: number) => shape.variants[index]?.parts ?? [];
      const fitting = drafts.findIndex((each, at) => fits(each, value, parts(at), root, depth + 1));
      const index =
        fitting >= 0 ? fitting : drafts.findIndex((each, at) => resembles(each, parts(at), root, depth + 1));
      const draft = drafts[index];
      return draft === undefined ? json : { kind: 'variants', index, draft };
    }
    case 'object':
      return isObject(value) ? objectDraftOf(value, shape, root, depth) : json;
    case 'json':
      return json;
  }
}

function objectDraftOf(
  value: Readonly<Record<string, unknown>>,
  { members, others }: Extract<Shape, { kind: 'object' }>,
  root: Schema,
  depth: number,
): Draft {
  const known = new Set(members.map(({ name }) => name));
  return {
    kind: 'object',
    members: members.map((member) => {
      const { name, parts, isRequired } = member;
      if (Object.hasOwn(value, name))
        return { name, isIncluded: true, draft: draftOf(value[name], parts, root, depth + 1) };
      if (isRequired) return { name, isIncluded: true, draft: newDraft(parts, root, depth + 1) };
      return absentMember(name, parts, root, depth);
    }),
    others: Object.entries(value)
      .filter(([name]) => !known.has(name))
      .map(([name, each]) => ({ key: crypto.randomUUID(), name, draft: draftOf(each, others ?? [], root, depth + 1) })),
  };
}

/** Whether a form can show the value without a JSON field in its place, and with all its required members. */
function fits(draft: Draft, value: unknown, parts: Parts, root: Schema, depth: number): boolean {
  const shape = shapeAt(parts, root, depth);
  if (draft.kind === 'json') return shape.kind === 'json';
  if (shape.kind !== 'object' || draft.kind !== 'object' || !isObject(value)) return true;
  return shape.members.every(({ name, isRequired, parts: inner }, index) => {
    if (!Object.hasOwn(value, name)) return !isRequired;
    const member = draft.members[index];
    return member !== undefined && fits(member.draft, value[name], inner, root, depth + 1);
  });
}

/** Whether an object has the fixed values of this alternative, and so is meant to be it, though something else is wrong. */
function resembles(draft: Draft, parts: Parts, root: Schema, depth: number): boolean {
  const shape = shapeAt(parts, root, depth);
  if (draft.kind !== 'object' || shape.kind !== 'object') return false;
  const fixed = draft.members.filter((_, index) => isConstant(shape.members[index]?.parts ?? [], root, depth + 1));
  return fixed.length > 0 && fixed.every(({ isIncluded, draft: inner }) => isIncluded && inner.kind === 'choice');
}

function isConstant(parts: Parts, root: Schema, depth: number): boolean {
  const shape = shapeAt(parts, root, depth);
  return shape.kind === 'choice' && shape.options.length === 1;
}

/** The value that the user has entered. */
export function draftValue(draft: Draft, parts: Parts, root: Schema, path = '#', depth = 0): DraftValue {
  const shape = shapeAt(parts, root, depth);
  const problem = (message: string): DraftValue => ({ value: undefined, problems: [{ path, message }] });
  switch (draft.kind) {
    case 'text':
      return { value: draft.text, problems: [] };
    case 'number':
      return numberIn(draft.text) ?? problem(draft.text.trim() === '' ? 'Enter a number.' : 'This is not a number.');
    case 'boolean':
      return { value: draft.value, problems: [] };
    case 'null':
      return { value: null, problems: [] };
    case 'json':
      return jsonIn(draft.text, problem);
    case 'choice': {
      const option = shape.kind === 'choice' ? shape.options[draft.index] : undefined;
      return option === undefined ? problem('Choose a value.') : { value: option.value, problems: [] };
    }
    case 'choices': {
      const options = shape.kind === 'choices' ? shape.options : [];
      return { value: draft.indices.map((index) => options[index]?.value), problems: [] };
    }
    case 'variants': {
      const variant = shape.kind === 'variants' ? shape.variants[draft.index] : undefined;
      return draftValue(draft.draft, variant?.parts ?? [], root, path, depth + 1);
    }
    case 'list': {
      const item = shape.kind === 'list' ? shape.item : [];
      const values = draft.items.map((each, index) =>
        draftValue(each.draft, item, root, `${path}/${index}`, depth + 1),
      );
      return { value: values.map(({ value }) => value), problems: values.flatMap(({ problems }) => problems) };
    }
    case 'object':
      return objectValue(draft, shape, root, path, depth);
  }
}

function objectValue(
  draft: Extract<Draft, { kind: 'object' }>,
  shape: Shape,
  root: Schema,
  path: string,
  depth: number,
): DraftValue {
  const { members, others } = shape.kind === 'object' ? shape : { members: [], others: undefined };
  const entries: [string, unknown][] = [];
  const problems: FieldProblem[] = [];
  const add = (name: string, inner: Draft, parts: Parts) => {
    const { value, problems: found } = draftValue(inner, parts, root, `${path}/${pointerToken(name)}`, depth + 1);
    if (found.length === 0) entries.push([name, value]);
    problems.push(...found);
  };
  for (const [index, { name, isIncluded, draft: inner }] of draft.members.entries()) {
    if (isIncluded) add(name, inner, members[index]?.parts ?? []);
  }
  for (const { name, draft: inner } of draft.others) {
    if (name === '') problems.push({ path, message: 'A further member has no name.' });
    else if (entries.some(([known]) => known === name))
      problems.push({ path, message: `There are two members ${name}.` });
    else add(name, inner, others ?? []);
  }
  // Made from entries, because a member may be called __proto__.
  return { value: Object.fromEntries(entries), problems };
}

function numberIn(text: string): DraftValue | undefined {
  const trimmed = text.trim();
  const value = Number(trimmed);
  return trimmed !== '' && Number.isFinite(value) ? { value, problems: [] } : undefined;
}

function jsonIn(text: string, problem: (message: string) => DraftValue): DraftValue {
  if (text.trim() === '') return problem('Enter a JSON value, such as "text", 1, true, [] or {}.');
  try {
    return { value: JSON.parse(text), problems: [] };
  } catch (error) {
    return problem(`This is not JSON: ${(error as Error).message}`);
  }
}

/** Where a value is among the options; values are compared as JSON. */
function indexOf(value: unknown, options: readonly Option[]): number {
  const text = JSON.stringify(value);
  return options.findIndex((option) => JSON.stringify(option.value) === text);
}
