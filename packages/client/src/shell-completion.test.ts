import { expect, it } from 'vitest';
import { completionsFor } from './shell-completion.ts';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    force: { type: 'boolean' },
    level: { enum: ['low', 'high'] },
    city: { enum: ['New York', 'New Delhi', "L'Aquila"] },
  },
  required: ['path'],
};
const known = {
  commands: [':read', ':raw', ':prompt'],
  tools: [
    { name: 'write', inputSchema: schema },
    { name: 'word-count', inputSchema: {} },
  ],
  resources: [{ uri: 'file:///a', name: 'a' }],
  prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }],
};

it.each([
  ['', ['write ', 'word-count ']],
  ['wr', ['write ']],
  [':r', [':read ', ':raw ']],
  ['write ', ['path=', 'force=', 'level=', 'city=']],
  ['write path=a ', ['force=', 'level=', 'city=']],
  ['write path=a fo', ['force=']],
  ['write force=', ['force=true ', 'force=false ']],
  ['write level=h', ['level=high ']],
  ['write city=L', ["city='L'\\''Aquila' "]],
  ['write city=N', ["city='New York' ", "city='New Delhi' "]],
  ["write city='New ", ["city='New York' ", "city='New Delhi' "]],
  ["write city='New Y", ["city='New York' "]],
  ["write path='a b' fo", ['force=']],
  ['write path=', []],
  [':read ', ['file:///a']],
  [':prompt g', ['greet ']],
  [':prompt greet ', ['who=']],
  ['unknown ', []],
])('%j is completed', (line, matches) => {
  expect(completionsFor(line, known)[0]).toEqual(matches);
});
