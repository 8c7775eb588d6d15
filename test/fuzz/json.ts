import type { Random } from '../../packages/mcp/testing/random.ts';

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  'text',
  '__proto__',
  'toString',
  [],
  {},
  [null],
  { toString: 1 },
  { __proto__: null, constructor: 5 },
];

/** A JSON value without a plan. */
function anyValue(random: Random, depth = 3): unknown {
  if (depth === 0 || random.chance(0.4)) return random.chance(0.2) ? oddText(random, 200) : random.pick(ODD_VALUES);
  const length = random.below(5);
  if (random.chance(0.4)) return Array.from({ length }, () => anyValue(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length }, () => [
      random.chance(0.3) ? oddText(random, 20) : random.pick(MEMBER_NAMES),
      anyValue(random, depth - 1),
    ]),
  );
}

const MEMBER_NAMES = [
  'jsonrpc',
  'id',
  'method',
  'params',
  'result',
  'error',
  'name',
  'arguments',
  '_meta',
  'progressToken',
  'cursor',
  'uri',
  'protocolVersion',
  'capabilities',
  'clientInfo',
  'notifications',
  'resourceSubscriptions',
  '__proto__',
  'constructor',
  'then',
  'toJSON',
  'length',
];

/** The value with a few of its parts replaced, removed, doubled or moved a level down. */
export function mutated(random: Random, value: unknown): unknown {
  if (random.chance(0.15)) return anyValue(random);
  if (Array.isArray(value)) {
    const items = value.map((item) => (random.chance(0.3) ? mutated(random, item) : item));
    if (random.chance(0.1)) items.push(anyValue(random));
    return random.chance(0.05) ? Array.from({ length: smallNumber(random, 500) }, () => items[0] ?? null) : items;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      if (random.chance(0.05)) return [];
      if (random.chance(0.05)) return [[random.pick(MEMBER_NAMES), member]];
      return [[name, random.chance(0.4) ? mutated(random, member) : member]];
    });
    if (random.chance(0.1)) members.push([random.pick(MEMBER_NAMES), anyValue(random)]);
    return Object.fromEntries(members);
  }
  return random.chance(0.6) ? anyValue(random, 1) : value;
}

/** The text with a few bytes changed, lost, doubled or added. */
export function damaged(random: Random, text: string): Buffer {
  let bytes = Buffer.from(text);
  for (let times = random.below(4); times >= 0; times -= 1) {
    const at = random.below(bytes.length + 1);
    const count = smallNumber(random, 30);
    const middle = random.pick([
      () => random.bytes(count),
      () => Buffer.alloc(0),
      () => Buffer.concat([bytes.subarray(at, at + count), bytes.subarray(at, at + count)]),
      () => Buffer.from(oddText(random, 50)),
    ])();
    bytes = Buffer.concat([bytes.subarray(0, at), middle, bytes.subarray(at + random.below(count + 1))]);
  }
  return bytes;
}

/** Nested deeper than any honest value. */
export function nested(random: Random): string {
  const depth = 10 ** (1 + random.below(5));
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['[[],', ']'],
  ] as const);
  return open.repeat(depth) + (open.endsWith(':') ? '1' : '') + (random.chance(0.9) ? close.repeat(depth) : '');
}

/** Mostly small, now and then nearly the limit. */
export function smallNumber(random: Random, limit: number): number {
  return Math.floor(random.fraction() ** 3 * limit);
}

/** Text of characters that parsers, patterns and terminals find difficult. */
export function oddText(random: Random, longest: number): string {
  return Array.from({ length: smallNumber(random, longest) }, () => random.pick(CHARACTERS)).join('');
}

const CHARACTERS = [
  ...'abcXYZ019_-/:.{}[]()"\'\\ \t\r\n\0%#?&=+*^$|',
  '\u00e4',
  '\u2028',
  '\ufeff',
  '\ufffd',
  '\u{1f600}',
  '\ud800',
];
