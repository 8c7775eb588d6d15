import { compileMatch, type Expression, type Match, type Operator, type Variable } from './uri-template-match.ts';

/** A value to put into a template: text, or a list or map of texts. */
export type UriTemplateValue = Scalar | readonly Scalar[] | { readonly [key: string]: Scalar };

export interface UriTemplate {
  /** Each variable once, in the order of its first use. */
  readonly variables: readonly string[];
  /**
   * The decoded variables of a URI that this template could have produced, else undefined. Never throws and takes
   * time linear in the URI. Variables whose expression is absent are absent; named parameters may come in any order.
   * An exploded list comes back as one text with its separators: `/a/b` is `a/b` for `{/path*}`.
   * A decoded value may contain anything: `%2F` in `{name}` is a slash.
   */
  match(uri: string): Record<string, string> | undefined;
  expand(values: { readonly [variable: string]: UriTemplateValue | undefined }): string;
}

/** Compiles an RFC 6570 template. Throws an Error that says what is wrong with a malformed one. */
export function compileUriTemplate(template: string): UriTemplate {
  const parts = parse(template);
  const names = parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables.map(({ name }) => name)));
  let matchNormal: Match | undefined;
  return {
    variables: [...new Set(names)],
    match(uri) {
      const normal = normalize(uri);
      if (normal === undefined) return undefined;
      matchNormal ??= compileMatch(parts.map((part) => (typeof part === 'string' ? upperCaseBytes(part) : part)));
      return matchNormal(normal);
    },
    expand: (values) =>
      parts.map((part) => (typeof part === 'string' ? part : expandExpression(part, values))).join(''),
  };
}

type Scalar = string | number | boolean;

const operators = new Map<string, Operator>([
  ['', { first: '', separator: ',', ends: '/?#' }],
  ['+', { first: '', separator: ',', reserved: true, ends: '' }],
  ['#', { first: '#', separator: ',', reserved: true, ends: '' }],
  ['.', { first: '.', separator: '.', ends: '/?#' }],
  ['/', { first: '/', separator: '/', ends: '?#' }],
  [';', { first: ';', separator: ';', named: '', ends: '/?#;' }],
  ['?', { first: '?', separator: '&', named: '=', ends: '#&' }],
  ['&', { first: '&', separator: '&', named: '=', ends: '#&' }],
]);

function parse(template: string): (string | Expression)[] {
  const fail = (reason: string): Error => new Error(`Malformed URI template ${JSON.stringify(template)}: ${reason}`);
  const parts: (string | Expression)[] = [];
  for (const piece of template.split(/(\{[^{}]*\})/)) {
    if (piece === '') continue;
    if (piece.length > 1 && piece.startsWith('{') && piece.endsWith('}')) {
      parts.push(parseExpression(piece.slice(1, -1), fail));
      continue;
    }
    if (piece.includes('{')) throw fail('a { is not closed');
    if (piece.includes('}')) throw fail('a } was not opened');
    if (/%(?![0-9A-Fa-f]{2})/.test(piece)) throw fail('a % does not begin a percent-encoded byte');
    if (/\p{Surrogate}/u.test(piece)) throw fail('it contains half a character');
    parts.push(encodeReserved(piece));
  }
  return parts;
}

function parseExpression(text: string, fail: (reason: string) => Error): Expression {
  const [, sign = '', list = ''] = /^([+#./;?&=,!@|]?)(.*)$/s.exec(text) ?? [];
  const operator = operators.get(sign);
  if (operator === undefined) throw fail(`the operator ${sign} is reserved`);
  const variables = list.split(',').map((spec): Variable => {
    const name = /^(?:\w|%[0-9A-Fa-f]{2})+(?:\.(?:\w|%[0-9A-Fa-f]{2})+)*/.exec(spec)?.[0];
    if (name === undefined) throw fail(`{${text}} has no variable name where one is expected`);
    const modifier = spec.slice(name.length);
    if (!/^(?:\*|:[1-9]\d{0,3})?$/.test(modifier)) throw fail(`${modifier} after ${name} is neither * nor :1 to :9999`);
    return {
      name,
      explode: modifier === '*',
      prefix: modifier.startsWith(':') ? Number(modifier.slice(1)) : undefined,
    };
  });
  return { ...operator, variables };
}

function expandExpression(
  { first, separator, named, reserved, variables }: Expression,
  values: { readonly [variable: string]: UriTemplateValue | undefined },
): string {
  const encode = reserved ? encodeReserved : encodeUnreserved;
  const assign = (name: string, value: string) => (value === '' ? name + (named ?? '=') : `${name}=${value}`);
  const texts: string[] = [];
  for (const { name, explode, prefix } of variables) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined || value === null) continue;
    let items: string[];
    if (typeof value !== 'object') {
      items = [encode([...String(value)].slice(0, prefix).join(''))];
    } else if (isList(value)) {
      items = value.map((item) => encode(String(item)));
    } else {
      const pairs = Object.entries(value).map(([key, item]): [string, string] => [encode(key), encode(String(item))]);
      if (explode) {
        texts.push(...pairs.map(([key, item]) => (named === undefined ? `${key}=${item}` : assign(key, item))));
        continue;
      }
      items = pairs.flat();
    }
    if (items.length === 0) continue;
    if (!explode) items = [items.join(',')];
    texts.push(...(named === undefined ? items : items.map((item) => assign(name, item))));
  }
  return texts.length === 0 ? '' : first + texts.join(separator);
}

/** The URI with everything encoded that `expand` encodes, undefined when its encoding is broken. */
function normalize(uri: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(uri)) return undefined;
  try {
    return upperCaseBytes(encodeReserved(uri));
  } catch {
    return undefined;
  }
}

function encodeUnreserved(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Leaves reserved characters and percent-encoded bytes as they are. */
function encodeReserved(text: string): string {
  return text.replace(/[^\w.~:/?#[\]@!$&'()*+,;=%-]|%(?![0-9A-Fa-f]{2})/gu, encodeURIComponent);
}

/** So that `%c3` and `%C3` compare equal. */
function upperCaseBytes(uri: string): string {
  return uri.replace(/%[0-9A-Fa-f]{2}/g, (byte) => byte.toUpperCase());
}

function isList(value: UriTemplateValue): value is readonly Scalar[] {
  return Array.isArray(value);
}
