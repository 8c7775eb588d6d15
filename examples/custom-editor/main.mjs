// A user interface on the custom editor: commands on stdin. `npm install --global hawser` first, then run this in a project,
// and an agent such as claude in another terminal: `hawser run claude`.
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { CustomEditor } from './editor.mjs';

const HELP = 'open FILE | select FILE LINE LINE | mention FILE | list | show ID | accept ID | reject ID | quit';

const editor = new CustomEditor();
editor.onMessage = console.log;
await editor.start(process.cwd());
console.log(HELP);

/** Lines from 1, both included. */
const rangeOf = (first, last) => ({
  start: { line: first - 1, character: 0 },
  end: { line: Number(last), character: 0 },
});
const commands = {
  open: (file) => editor.open(resolve(file)),
  select: (file, first, last = first) => editor.select(resolve(file), rangeOf(first, last)),
  mention: (file) => editor.notify('editor/mention', { uri: pathToFileURL(resolve(file)).href }),
  list: () => [...editor.proposals.values()].map(({ id, agent, title }) => `${id} ${agent}: ${title}`).join('\n'),
  show: (id) => editor.proposals.get(id)?.newText,
  accept: async (id) => (await editor.decide(id, { kind: 'accepted' })).kind,
  reject: async (id) => (await editor.decide(id, { kind: 'rejected' })).kind,
  quit: () => process.exit(0),
};
for await (const line of createInterface({ input: process.stdin })) {
  const [name = '', ...words] = line.trim().split(/\s+/);
  try {
    const answer = Object.hasOwn(commands, name) ? await commands[name](...words) : HELP;
    if (typeof answer === 'string') console.log(answer);
  } catch (error) {
    console.log(error instanceof Error ? error.message : error);
  }
}
process.exit(0);
