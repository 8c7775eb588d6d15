import { expect, it } from 'vitest';
import { elicitWith } from './elicit.ts';

/** Answers the questions one after the other, and collects what was printed. */
async function elicited(properties: object, answers: string[]) {
  const printed: string[] = [];
  const ask = async (question: string) => {
    printed.push(question);
    return answers.shift();
  };
  const elicit = elicitWith(ask, (line) => void printed.push(line));
  const params = { mode: 'form', message: 'Well?', requestedSchema: { type: 'object', properties } } as const;
  const { signal } = new AbortController();
  return { result: await elicit(params as never, { signal }), printed };
}

it('a boolean is answered with y or n', async () => {
  const properties = { a: { type: 'boolean' }, b: { type: 'boolean' }, c: { type: 'boolean' } };
  const { result, printed } = await elicited(properties, ['', 'perhaps', 'y', 'No', 'true']);
  expect(result).toEqual({ action: 'accept', content: { a: true, b: false, c: true } });
  expect(printed.slice(2, 5)).toEqual(['a (y or n, optional): ', 'a: Answer y or n.', 'a (y or n, optional): ']);
});

it('choices with titles are listed', async () => {
  const named = { type: 'string', enum: ['x', 'y'], enumNames: ['Ex', 'Why'] };
  const titled = {
    type: 'string',
    oneOf: [
      { const: 'hero-1', title: 'Superman' },
      { const: 'hero-2', title: 'Batman' },
    ],
  };
  const { result, printed } = await elicited({ titled, named }, ['y', 'hero-2', 'x']);
  expect(result.content).toEqual({ titled: 'hero-2', named: 'x' });
  expect(printed.slice(2)).toEqual([
    '  hero-1: Superman',
    '  hero-2: Batman',
    'titled ("hero-1" | "hero-2", optional): ',
    '  x: Ex',
    '  y: Why',
    'named ("x" | "y", optional): ',
  ]);
});

it('items of a list are separated by commas, or given as JSON', async () => {
  const list = {
    type: 'array',
    items: {
      anyOf: [
        { const: 'a', title: 'A' },
        { const: 'b', title: 'B' },
      ],
    },
  };
  const { result, printed } = await elicited({ one: list, two: list, three: list }, ['y', 'a, b', '["b"]', 'a,c', 'a']);
  expect(result.content).toEqual({ one: ['a', 'b'], two: ['b'], three: ['a'] });
  expect(printed).toContain('one (("a" | "b")[], separated by commas, optional): ');
  expect(printed).toContain('three: c is not one of a, b.');
});
