import { isObject } from '../../jsonrpc/codec.ts';
import {
  maxProblems,
  missing,
  nothingAllowed,
  notOneOf,
  outOfRange,
  type Problem,
  tooFew,
  tooMany,
  unknownProperty,
  wrongType,
} from './problem.ts';

/** The problems of a value; none if it is valid. The value is not changed. */
export type Validator = (value: unknown) => readonly Problem[];

/**
 * Compiles the subset of JSON Schema that most tools use. Returns undefined when the schema has a keyword, or a value of
 * a keyword, outside of it. A check takes time in proportion to the value and the schema.
 */
export function compileSimple(schema: unknown): Validator | undefined {
  // Importing ajv costs 84 ms, this costs microseconds: that is why it exists and imports no package.
  const rule = compileRule(schema, 0);
  if (rule === undefined) return undefined;
  return (value) => {
    const found: Findings = { path: [], problems: [] };
    rule(value, found);
    return found.problems;
  };
}

interface Findings {
  /** Where the value under test is; rules push and pop it as they descend. */
  readonly path: (string | number)[];
  readonly problems: Problem[];
}

type Rule<Value> = (value: Value, found: Findings) => void;
type PlainObject = { readonly [name: string]: unknown };

/** The rules of one schema, by the kind of value they are about. */
interface Rules {
  types: { readonly names: readonly string[]; readonly bits: number } | undefined;
  properties: ReadonlyMap<string, Rule<unknown>> | undefined;
  additional: Rule<unknown> | undefined;
  readonly any: Rule<unknown>[];
  readonly string: Rule<string>[];
  readonly number: Rule<number>[];
  readonly array: Rule<readonly unknown[]>[];
  readonly object: Rule<PlainObject>[];
}

// The compiler recurses, so a deeper schema, which may be hostile or cyclic, is left to ajv.
const maxDepth = 64;
// Each is compared with each value, so all of them are small; scalars are looked up at once.
const maxCompositeValues = 16;
const maxCompositeChars = 10_000;

const typeBits = new Map([
  ['string', 1],
  ['number', 2],
  ['integer', 4],
  ['boolean', 8],
  ['null', 16],
  ['array', 32],
  ['object', 64],
]);

const annotations = new Set(
  'title description default examples deprecated readOnly writeOnly $comment format'.split(' '),
);

const simpleDialects = /^https?:\/\/json-schema\.org\/draft(\/2020-12|-07)\/schema#?$/;

function compileRule(schema: unknown, depth: number): Rule<unknown> | undefined {
  if (schema === true) return () => {};
  if (schema === false) return (_value, found) => report(found, nothingAllowed);
  if (!isObject(schema) || depth > maxDepth) return undefined;

  const rules: Rules = {
    types: undefined,
    properties: undefined,
    additional: undefined,
    any: [],
    string: [],
    number: [],
    array: [],
    object: [],
  };
  for (const keyword of Object.keys(schema)) {
    const operand = schema[keyword];
    if (operand !== undefined && !addKeyword(rules, keyword, operand, depth)) return undefined;
  }
  return joinRules(rules);
}

function joinRules({ types, properties, additional, any, string, number, array, object }: Rules): Rule<unknown> {
  if (properties !== undefined || additional !== undefined) object.push(propertiesRule(properties, additional));
  return (value, found) => {
    if (types !== undefined && (types.bits & bitsOf(value)) === 0) {
      report(found, wrongType(types.names, value));
      return;
    }
    for (const rule of any) rule(value, found);
    if (typeof value === 'string') for (const rule of string) rule(value, found);
    else if (typeof value === 'number') for (const rule of number) rule(value, found);
    else if (Array.isArray(value)) for (const rule of array) rule(value, found);
    else if (isObject(value)) for (const rule of object) rule(value, found);
  };
}

/** False when the keyword is outside the subset. */
function addKeyword(rules: Rules, keyword: string, operand: unknown, depth: number): boolean {
  switch (keyword) {
    case 'type':
      rules.types = readTypes(operand);
      return rules.types !== undefined;
    case 'enum':
      return Array.isArray(operand) && isSmallEnum(operand) && add(rules.any, oneOfRule(operand));
    case 'const':
      return isSmallEnum([operand]) && add(rules.any, oneOfRule([operand]));
    case 'items':
      return add(rules.array, itemsRule(operand, depth));
    case 'properties':
      rules.properties = compileProperties(operand, depth);
      return rules.properties !== undefined;
    case 'additionalProperties':
      rules.additional = operand === false ? refuseProperty : compileRule(operand, depth + 1);
      return rules.additional !== undefined;
    case 'required':
      return isStrings(operand) && add(rules.object, requiredRule(operand));
    case '$schema':
      return typeof operand === 'string' && simpleDialects.test(operand);
    default:
      if (typeof operand === 'number' && addLimit(rules, keyword, operand)) return true;
      return annotations.has(keyword) || keyword.startsWith('x-');
  }
}

function addLimit({ number, string, array }: Rules, keyword: string, limit: number): boolean {
  const isCount = Number.isInteger(limit) && limit >= 0;
  switch (keyword) {
    case 'minimum':
      number.push(expect(outOfRange('at least', limit), (value) => value >= limit));
      return true;
    case 'maximum':
      number.push(expect(outOfRange('at most', limit), (value) => value <= limit));
      return true;
    case 'exclusiveMinimum':
      number.push(expect(outOfRange('more than', limit), (value) => value > limit));
      return true;
    case 'exclusiveMaximum':
      number.push(expect(outOfRange('less than', limit), (value) => value < limit));
      return true;
    case 'minLength':
      string.push(expect(tooFew(limit, 'character'), (value) => hasLength(value, limit)));
      return isCount;
    case 'maxLength':
      string.push(expect(tooMany(limit, 'character'), (value) => !hasLength(value, limit + 1)));
      return isCount;
    case 'minItems':
      array.push(expect(tooFew(limit, 'item'), (value) => value.length >= limit));
      return isCount;
    case 'maxItems':
      array.push(expect(tooMany(limit, 'item'), (value) => value.length <= limit));
      return isCount;
    default:
      return false;
  }
}

function add<Value>(rules: Rule<Value>[], rule: Rule<Value> | undefined): boolean {
  if (rule === undefined) return false;
  rules.push(rule);
  return true;
}

function readTypes(operand: unknown): Rules['types'] {
  const names = typeof operand === 'string' ? [operand] : operand;
  if (!isStrings(names) || names.length === 0) return undefined;
  let bits = 0;
  for (const name of names) {
    const bit = typeBits.get(name);
    if (bit === undefined) return undefined;
    bits |= bit;
  }
  return { names: [...new Set(names)], bits };
}

function bitsOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return 1;
    case 'number':
      // 1e999 parses to Infinity, which no handler expects of a number.
      if (!Number.isFinite(value)) return 0;
      return Number.isInteger(value) ? 6 : 2;
    case 'boolean':
      return 8;
    case 'object':
      if (value === null) return 16;
      return Array.isArray(value) ? 32 : 64;
    default:
      return 0;
  }
}

function expect<Value>(message: string, fits: (value: Value) => boolean): Rule<Value> {
  return (value, found) => {
    if (!fits(value)) report(found, message);
  };
}

function oneOfRule(values: readonly unknown[]): Rule<unknown> {
  const scalars = new Set(values.filter((value) => !isObject(value) && !Array.isArray(value)));
  const composites = values.filter((value) => !scalars.has(value));
  const isAllowed = (value: unknown) => scalars.has(value) || composites.some((allowed) => equal(allowed, value));
  return expect(notOneOf(values), isAllowed);
}

function isSmallEnum(values: readonly unknown[]): boolean {
  const composites = values.filter((value) => typeof value === 'object' && value !== null);
  if (values.length === 0 || composites.length > maxCompositeValues) return false;
  try {
    return composites.length === 0 || JSON.stringify(composites).length <= maxCompositeChars;
  } catch {
    return false; // a schema made by hand may be cyclic
  }
}

function itemsRule(operand: unknown, depth: number): Rule<readonly unknown[]> | undefined {
  const rule = compileRule(operand, depth + 1);
  if (rule === undefined) return undefined;
  return (value, found) => {
    for (let index = 0; index < value.length && found.problems.length < maxProblems; index++) {
      found.path.push(index);
      rule(value[index], found);
      found.path.pop();
    }
  };
}

function compileProperties(operand: unknown, depth: number): Rules['properties'] {
  if (!isObject(operand)) return undefined;
  const properties = new Map<string, Rule<unknown>>();
  for (const name of Object.keys(operand)) {
    const rule = compileRule(operand[name], depth + 1);
    if (rule === undefined) return undefined;
    properties.set(name, rule);
  }
  return properties;
}

/** One pass over what the value has: looking each known property up in it is slower, and would find inherited ones. */
function propertiesRule(properties: Rules['properties'], additional: Rules['additional']): Rule<PlainObject> {
  return (value, found) => {
    for (const name of Object.keys(value)) {
      const rule = properties?.get(name) ?? additional;
      if (rule === undefined) continue;
      const member = value[name];
      // An undefined member is absent after JSON, so it is absent here.
      if (member === undefined) continue;
      if (found.problems.length >= maxProblems) return;
      found.path.push(name);
      rule(member, found);
      found.path.pop();
    }
  };
}

function refuseProperty(_value: unknown, found: Findings): void {
  report(found, unknownProperty);
}

function requiredRule(listed: readonly string[]): Rule<PlainObject> {
  const names = [...new Set(listed)];
  return (value, found) => {
    for (const name of names) {
      const present = Object.hasOwn(value, name) && value[name] !== undefined;
      if (present) continue;
      found.problems.push({ path: [...found.path, name], message: missing });
      if (found.problems.length >= maxProblems) return;
    }
  };
}

function report(found: Findings, message: string): void {
  found.problems.push({ path: [...found.path], message });
}

function equal(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) && left.length === right.length && left.every((item, index) => equal(item, right[index]))
    );
  }
  if (!isObject(left) || !isObject(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && equal(left[name], right[name]))
  );
}

/** Whether the text has at least `limit` code points. They are at most its code units and at least half of them. */
function hasLength(text: string, limit: number): boolean {
  if (text.length < limit) return false;
  if (text.length >= 2 * limit) return true;
  let count = 0;
  for (const _ of text) count++;
  return count >= limit;
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
