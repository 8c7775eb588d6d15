import type { Token } from './token.ts';

/** What later checks need to know about an object. */
export type Node =
  | { readonly kind: 'token'; readonly token: Token }
  | { readonly kind: 'list'; readonly items: readonly Node[]; readonly dotted: boolean }
  | { readonly kind: 'vector'; readonly items: readonly Node[] }
  | { readonly kind: 'text'; readonly length: number; readonly of: 'string' | 'bits' }
  | { readonly kind: 'rational' }
  | { readonly kind: 'pathname' }
  /** `,x`, and `,@x` or `,.x`, which may stand in fewer places. */
  | { readonly kind: 'comma'; readonly splices: boolean }
  /** A reference to a label whose object is still being read. */
  | { readonly kind: 'reference'; readonly label: number }
  /** Objects that no check looks at: a character, a complex number, a structure. */
  | { readonly kind: 'other' }
  /** Only the Lisp knows it, for example the value of `#.(…)`. */
  | { readonly kind: 'unknown' };

export const UNKNOWN: Node = { kind: 'unknown' };
export const OTHER: Node = { kind: 'other' };

/** `'x`, `` `x `` and `#'x` are lists of two. */
export function pair(node: Node): Node {
  return { kind: 'list', items: [UNKNOWN_SYMBOL, node], dotted: false };
}

const UNKNOWN_SYMBOL: Node = {
  kind: 'token',
  token: { name: 'QUOTE', escaped: false, type: 'symbol', colons: [], nameless: false, invalid: undefined, end: 0 },
};

export function isReal(node: Node): boolean {
  if (node.kind === 'token') return node.token.type !== 'symbol';
  return node.kind === 'rational' || node.kind === 'unknown';
}

/** Whether the object can be the contents of an array of that rank; a text says why not. */
export function arrayFlaw(contents: Node, rank: number): string | undefined {
  let row: readonly Node[] = [contents];
  for (let axis = 0; axis < rank; axis += 1) {
    const lengths = new Set<number>();
    const next: Node[] = [];
    for (const node of row) {
      const items = itemsOf(node);
      if (items === 'unknown') return undefined;
      if (items === undefined) return `its axis ${axis} is not a sequence`;
      lengths.add(typeof items === 'number' ? items : items.length);
      if (typeof items === 'number') next.push(...Array<Node>(Math.min(items, 1)).fill(OTHER));
      else next.push(...items);
    }
    if (lengths.size > 1) return `the parts of its axis ${axis} differ in length`;
    row = next;
  }
  return undefined;
}

/** The array as part of another: only a vector is a sequence. */
export function arrayNode(contents: Node, rank: number): Node {
  const items = rank === 1 ? itemsOf(contents) : undefined;
  if (typeof items === 'number') return { kind: 'text', of: 'bits', length: items };
  return typeof items === 'object' ? { kind: 'vector', items } : OTHER;
}

/** The elements of a sequence, or just how many characters or bits it has. */
function itemsOf(node: Node): readonly Node[] | number | 'unknown' | undefined {
  switch (node.kind) {
    case 'list':
      return node.dotted ? undefined : node.items;
    case 'vector':
      return node.items;
    case 'text':
      return node.length;
    case 'unknown':
      return 'unknown';
    case 'token':
      return node.token.name === 'NIL' ? [] : undefined;
    default:
      return undefined;
  }
}
