import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { processorTime } from '../../testing/processor-time.ts';
import { compileUriTemplate, type UriTemplateValue } from './uri-template.ts';

describe('expand', () => {
  // The variables and expansions of RFC 6570, section 3.2.
  const values: Record<string, UriTemplateValue> = {
    count: ['one', 'two', 'three'],
    dom: ['example', 'com'],
    dub: 'me/too',
    hello: 'Hello World!',
    half: '50%',
    var: 'value',
    who: 'fred',
    base: 'http://example.com/home/',
    path: '/foo/bar',
    list: ['red', 'green', 'blue'],
    keys: { semi: ';', dot: '.', comma: ',' },
    v: 6,
    x: 1024,
    y: 768,
    empty: '',
    empty_keys: {},
  };

  test.each([
    ['{var}', 'value'],
    ['{hello}', 'Hello%20World%21'],
    ['{half}', '50%25'],
    ['O{empty}X', 'OX'],
    ['O{undef}X', 'OX'],
    ['{x,y}', '1024,768'],
    ['{x,hello,y}', '1024,Hello%20World%21,768'],
    ['?{x,empty}', '?1024,'],
    ['?{x,undef}', '?1024'],
    ['?{undef,y}', '?768'],
    ['{var:3}', 'val'],
    ['{var:30}', 'value'],
    ['{list}', 'red,green,blue'],
    ['{list*}', 'red,green,blue'],
    ['{keys}', 'semi,%3B,dot,.,comma,%2C'],
    ['{keys*}', 'semi=%3B,dot=.,comma=%2C'],
    ['{+hello}', 'Hello%20World!'],
    ['{+half}', '50%25'],
    ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
    ['{+base}index', 'http://example.com/home/index'],
    ['{+path}/here', '/foo/bar/here'],
    ['{+path,x}/here', '/foo/bar,1024/here'],
    ['{+path:6}/here', '/foo/b/here'],
    ['{+keys}', 'semi,;,dot,.,comma,,'],
    ['{+keys*}', 'semi=;,dot=.,comma=,'],
    ['{#var}', '#value'],
    ['{#path,x}/here', '#/foo/bar,1024/here'],
    ['foo{#empty}', 'foo#'],
    ['foo{#undef}', 'foo'],
    ['{.who,who}', '.fred.fred'],
    ['www{.dom*}', 'www.example.com'],
    ['X{.empty_keys}', 'X'],
    ['{/var,x}/here', '/value/1024/here'],
    ['{/list*,path:4}', '/red/green/blue/%2Ffoo'],
    ['{/keys*}', '/semi=%3B/dot=./comma=%2C'],
    ['{;x,y,empty}', ';x=1024;y=768;empty'],
    ['{;hello:5}', ';hello=Hello'],
    ['{;list*}', ';list=red;list=green;list=blue'],
    ['{;keys*}', ';semi=%3B;dot=.;comma=%2C'],
    ['{?x,y,undef}', '?x=1024&y=768'],
    ['{?x,y,empty}', '?x=1024&y=768&empty='],
    ['{?list}', '?list=red,green,blue'],
    ['{?list*}', '?list=red&list=green&list=blue'],
    ['{?keys*}', '?semi=%3B&dot=.&comma=%2C'],
    ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
    ['{&var:3}', '&var=val'],
    ['é/{var}', '%C3%A9/value'],
  ])('%s becomes %s', (template, uri) => {
    expect(compileUriTemplate(template).expand(values)).toBe(uri);
  });

  test('every reserved character of a simple value is encoded', () => {
    expect(compileUriTemplate('{v}').expand({ v: ":/?#[]@!$&'()*+,;=" })).toBe(
      '%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D',
    );
  });

  test('a prefix counts characters, not code units', () => {
    expect(compileUriTemplate('{v:1}').expand({ v: '😀😀' })).toBe('%F0%9F%98%80');
  });

  test('an inherited property is not a value', () => {
    expect(compileUriTemplate('a{toString}{__proto__}').expand({})).toBe('a');
  });
});

describe('match', () => {
  test.each<[string, string, Record<string, string> | undefined]>([
    ['note:///{id}', 'note:///42', { id: '42' }],
    ['note:///{id}', 'note:///', { id: '' }],
    ['note:///{id}', 'note:///a/b', undefined],
    ['note:///{id}', 'note:///a?b', undefined],
    ['note:///{id}', 'memo:///42', undefined],
    ['note:///{id}', 'note:///a%2Fb%20c', { id: 'a/b c' }],
    ['note:///{id}', 'note:///a@b,c', { id: 'a@b,c' }],
    ['note:///{id}', 'note:///日本', { id: '日本' }],
    ['note:///é/{id}', 'note:///%c3%a9/1', { id: '1' }],
    ['fixed://x', 'fixed://x', {}],
    ['fixed://x', 'fixed://x/', undefined],
    ['{a,b}', 'x,y', { a: 'x', b: 'y' }],
    ['{a,b}', 'x', { a: 'x' }],
    ['file://{+path}', 'file:///a/b.txt', { path: '/a/b.txt' }],
    ['file:///{+dir}/{name}', 'file:///a/b/c.txt', { dir: 'a/b', name: 'c.txt' }],
    ['{name}.{type}', 'a.tar.gz', { name: 'a.tar', type: 'gz' }],
    ['{name}{.type}', 'a.gz', { name: 'a', type: 'gz' }],
    ['{name}{.type}', 'a', { name: 'a' }],
    ['x{/a,b}', 'x/1/2', { a: '1', b: '2' }],
    ['x{/a,b}', 'x/1', { a: '1' }],
    ['x{/a,b}', 'x', {}],
    ['x{/a,b}', 'x/1/2/3', undefined],
    ['x{/path*}', 'x/1/2/3', { path: '1/2/3' }],
    ['x{/path*}{/last}', 'x/1/2/3', { path: '1/2', last: '3' }],
    ['x{;a,b}', 'x;a=1;b', { a: '1', b: '' }],
    ['{;a}{.b}', ';a=.', { a: '.' }],
    ['x{#f}', 'x#/y?z', { f: '/y?z' }],
    ['x{?a,b}', 'x?a=1&b=2', { a: '1', b: '2' }],
    ['x{?a,b}', 'x?b=2&a=1', { a: '1', b: '2' }],
    ['x{?a,b}', 'x?b=2', { b: '2' }],
    ['x{?a,b}', 'x', {}],
    ['x{?a,b}', 'x?c=3', undefined],
    ['x{?a,b}', 'x?a=1&a=2', undefined],
    ['x{?a*}', 'x?a=1&a=2', { a: '1,2' }],
    ['x?a=1{&b}', 'x?a=1&b=2', { b: '2' }],
    ['x{?a}{&b}', 'x?a=1&b=2', { a: '1', b: '2' }],
    ['{+path}{?q}', 'a/b?q=1', { path: 'a/b', q: '1' }],
    ['{+path}?{+query}', 'a?b?c', { path: 'a', query: 'b?c' }],
    ['x{/list*,last}', 'x/1/2/3', { list: '1/2', last: '3' }],
    ['x{/a}', 'x/1?b', undefined],
    ['{+path}?q={q}', 'a/b?q=1', { path: 'a/b', q: '1' }],
    ['{a}/{a}', 'x/x', { a: 'x' }],
    ['{a}/{a}', 'x/y', undefined],
    ['{a:1}/{a}', 'x/xyz', { a: 'xyz' }],
    ['{a:1}/{a}', 'x/abc', undefined],
    ['{a}2{b}', 'q2x%2Fy', { a: 'q', b: 'x/y' }],
    [
      '{__proto__}/{constructor}',
      'x/y',
      Object.fromEntries([
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ]),
    ],
  ])('%s of %s is %o', (template, uri, expected) => {
    // As entries, because toEqual does not see an own __proto__.
    const sorted = (record: Record<string, string> | undefined) => record && Object.entries(record).toSorted();
    expect(sorted(compileUriTemplate(template).match(uri))).toEqual(sorted(expected));
  });

  test('the result has no prototype', () => {
    expect(Object.getPrototypeOf(compileUriTemplate('{a}').match('x'))).toBeNull();
  });

  test.each(['%', '%G0', 'a%2', '%FF', '%C3', '\ud800'])('a URI with broken encoding does not match: %j', (uri) => {
    expect(compileUriTemplate('{+a}').match(uri)).toBeUndefined();
  });
});

test('variables are listed once, in the order of their first use', () => {
  expect(compileUriTemplate('{b}/{a,b}{?c*,d:3,a.b}').variables).toEqual(['b', 'a', 'c', 'd', 'a.b']);
});

test.each([
  ['a{b', 'a { is not closed'],
  ['a}b', 'a } was not opened'],
  ['{a{b}}', 'a { is not closed'],
  ['{}', '{} has no variable name where one is expected'],
  ['{a,}', '{a,} has no variable name where one is expected'],
  ['{?}', '{?} has no variable name where one is expected'],
  ['{ a}', '{ a} has no variable name where one is expected'],
  ['{=a}', 'the operator = is reserved'],
  ['{a:0}', ':0 after a is neither * nor :1 to :9999'],
  ['{a:12345}', ':12345 after a is neither * nor :1 to :9999'],
  ['{a*:3}', '*:3 after a is neither * nor :1 to :9999'],
  ['{a-b}', '-b after a is neither * nor :1 to :9999'],
  ['100%/{a}', 'a % does not begin a percent-encoded byte'],
  ['\ud800{a}', 'it contains half a character'],
])('the malformed template %j is refused: %s', (template, reason) => {
  expect(() => compileUriTemplate(template)).toThrow(
    new Error(`Malformed URI template ${JSON.stringify(template)}: ${reason}`),
  );
});

describe('properties', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 8 });
  const sign = fc.constantFrom('', '+', '#', '.', '/', ';', '?', '&');
  const literal = fc.constantFrom('', '', '/', '.', '-', 'x', '2', '?', '#', 'a=', '&');
  const names = 'abcdefghijklm'.split('');

  /** Any sequence of literals and expressions, ambiguous ones too; every variable is used once. */
  const anyTemplate = fc
    .array(fc.tuple(literal, sign, fc.integer({ min: 1, max: 3 })), { maxLength: 4 })
    .map((parts) => {
      const unused = [...names];
      return parts.map(([lead, op, count]) => `${lead}{${op}${unused.splice(0, count).join(',')}}`).join('');
    });

  test('what was expanded comes back exactly where the template is unambiguous', () => {
    const part = fc.constantFrom('/{N}', '/x{N}', '{/N}', '/p{;N}', '/{N}/', '/q{.N}/');
    const end = fc.constantFrom('', '{?N}', '/{+N}', '{#N}', '?x=1{&N}', '{?N,o}{#p}');
    const known = fc.tuple(fc.array(part, { maxLength: 4 }), end).map(([parts, last]) => {
      return `s://h${[...parts, last].map((each, index) => each.replace('N', `v${index}`)).join('')}`;
    });
    fc.assert(
      fc.property(known, fc.array(text, { minLength: 8, maxLength: 8 }), (template, texts) => {
        const compiled = compileUriTemplate(template);
        // In {+v} a percent sign followed by two digits is taken for an encoded byte.
        const values = Object.fromEntries(
          compiled.variables.map((name, index) => [name, (texts[index] ?? '').replaceAll('%', '')]),
        );
        expect({ ...compiled.match(compiled.expand(values)) }).toEqual(values);
      }),
      { numRuns: 1000 },
    );
  });

  test('an expansion of any template matches it, and expands to the same URI again', () => {
    const some = fc.array(fc.option(text, { nil: undefined }), { minLength: 13, maxLength: 13 });
    fc.assert(
      fc.property(anyTemplate, some, (template, texts) => {
        const compiled = compileUriTemplate(template);
        const values = Object.fromEntries(names.map((name, index) => [name, texts[index]?.replaceAll('%', '')]));
        const uri = compiled.expand(values);
        const found = compiled.match(uri);
        expect(found).toBeDefined();
        expect(decodeURIComponent(compiled.expand(found ?? {}))).toBe(decodeURIComponent(uri));
      }),
      { numRuns: 2000 },
    );
  });

  test('match never throws', () => {
    fc.assert(
      fc.property(anyTemplate, fc.string({ unit: 'binary' }), fc.string(), (template, one, two) => {
        const { match } = compileUriTemplate(template);
        for (const uri of [one, two, `${two}%${one}`, String.fromCharCode(...[0xd800, 0x41])]) match(uri);
      }),
    );
  });

  test('a long URI is matched in linear time however ambiguous the template', () => {
    const long = fc.tuple(
      fc.constantFrom('a', '/', '.', 'a=', '&a=', 'ab', '%2F'),
      fc.constantFrom('', '!', '#', '\n'),
    );
    const ambiguous = fc.oneof(anyTemplate, fc.constant('{a}{b}{c}{+d}{e}{+f}a{g}{?h*}{&i*}{#j}'));
    const began = processorTime();
    fc.assert(
      fc.property(ambiguous, long, (template, [unit, end]) => {
        compileUriTemplate(template).match(unit.repeat(20_000) + end);
      }),
      { numRuns: 30 },
    );
    // Quadratic time would be minutes, and exponential time would be for ever.
    expect(processorTime() - began).toBeLessThan(20_000);
  });
});
