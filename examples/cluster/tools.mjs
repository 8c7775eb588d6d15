import { setTimeout as delay } from 'node:timers/promises';

const MAX_MS = 600_000;

/**
 * The tools and resources of each process.
 * @param {import('@hawser/mcp').Server} server
 * @param {import('./notes.mjs').Notes} notes
 */
export function addTools(server, notes) {
  server.tool(
    { name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
    ({ text }) => text,
  );

  server.tool(
    {
      name: 'stream',
      description: 'Sends log messages, then the answer.',
      inputSchema: {
        type: 'object',
        properties: {
          count: { type: 'integer', minimum: 0, maximum: 100_000 },
          everyMs: { type: 'integer', minimum: 0, maximum: MAX_MS },
        },
        required: ['count', 'everyMs'],
      },
    },
    async ({ count, everyMs }, { log, signal, drained }) => {
      for (let number = 1; number <= count; number += 1) {
        if (number > 1) await delay(everyMs, undefined, { signal });
        log('info', number);
        await drained();
      }
      return `${count} messages`;
    },
  );

  server.tool(
    {
      name: 'work',
      description: 'Works for some time, as a task if the client knows tasks.',
      inputSchema: {
        type: 'object',
        properties: {
          ms: { type: 'integer', minimum: 0, maximum: MAX_MS },
          ask: { type: ['boolean', 'string'], description: 'Ask the user first: this question, or a default one' },
        },
        required: ['ms'],
      },
    },
    // The work ends with its process, and its task then fails. server.restartableTask is for work that may be repeated.
    ({ ms, ask }, { task }) =>
      task(async ({ signal, questions }) => {
        if (ask) {
          const message = typeof ask === 'string' ? ask : 'May the work begin?';
          const requestedSchema = { type: 'object', properties: { answer: { type: 'string' } } };
          const { action } = await questions.elicit({ message, requestedSchema });
          if (action !== 'accept') return `Not done: ${action}`;
        }
        await delay(ms, undefined, { signal });
        return `Worked for ${ms} ms`;
      }),
  );

  server.tool({ name: 'ask', description: 'Asks for a name and returns it.' }, async (_args, { elicit }) => {
    const answer = await elicit({
      message: 'What is your name?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    });
    return answer.action === 'accept' ? answer.content.name : `No name: ${answer.action}`;
  });

  /** @param {string} name */
  const uriOf = (name) => `note:///${name}`;
  server.tool(
    {
      name: 'touch',
      description: 'Changes a note, or adds it.',
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,100}$' } },
        required: ['name'],
      },
    },
    async ({ name }) => {
      const changes = await notes.touch(name);
      // Both reach the clients of every process.
      if (changes === 1) server.listChanged('resources');
      server.resourceUpdated(uriOf(name));
      return `${uriOf(name)}: ${changes} changes`;
    },
  );
  // All processes list and read the same notes, because none of them keeps any.
  server.onRequest('resources/list', async () => {
    const names = Object.keys(await notes.all());
    return { resources: names.sort().map((name) => ({ uri: uriOf(name), name, mimeType: 'application/json' })) };
  });
  server.resourceTemplate({ uriTemplate: 'note:///{name}', name: 'note' }, async ({ name }) => {
    const changes = await notes.changesOf(name);
    return changes === undefined
      ? undefined
      : { mimeType: 'application/json', text: JSON.stringify({ name, changes }) };
  });
}
