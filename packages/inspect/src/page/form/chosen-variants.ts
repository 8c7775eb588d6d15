import { type Draft, shapeAt } from './draft.ts';
import { pointerToken } from './pointer.ts';
import type { Parts, Schema } from './schema-shape.ts';

/** Which alternative the user chose for a value. */
export interface ChosenVariant {
  /** Of the value, such as `#/a/0`. */
  readonly path: string;
  /** Of the keyword, such as `#/properties/a/anyOf`. */
  readonly location: string;
  readonly index: number;
}

/** Every choice between alternatives in a form. */
export function chosenVariants(draft: Draft, parts: Parts, root: Schema, path = '#', depth = 0): ChosenVariant[] {
  const shape = shapeAt(parts, root, depth);
  const inside = (inner: Draft, of: Parts, at: string) => chosenVariants(inner, of, root, at, depth + 1);
  if (draft.kind === 'variants' && shape.kind === 'variants') {
    const { location, variants } = shape;
    const own = location === undefined ? [] : [{ path, location, index: draft.index }];
    return [...own, ...inside(draft.draft, variants[draft.index]?.parts ?? [], path)];
  }
  if (draft.kind === 'list' && shape.kind === 'list') {
    return draft.items.flatMap((item, index) => inside(item.draft, shape.item, `${path}/${index}`));
  }
  if (draft.kind !== 'object' || shape.kind !== 'object') return [];
  return draft.members.flatMap(({ name, isIncluded, draft: inner }, index) =>
    isIncluded ? inside(inner, shape.members[index]?.parts ?? [], `${path}/${pointerToken(name)}`) : [],
  );
}
