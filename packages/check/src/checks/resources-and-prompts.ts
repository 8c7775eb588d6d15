import { isList, isObject, memberAt, objectOrEmpty } from '@hawser/unknown-values/objects';
import { type Check, NotApplicable } from '../check.ts';
import { inWords, shown } from '../in-words.ts';
import type { Subject } from '../subject.ts';
import { firstOf, refuses } from './builders.ts';
import { duplicatesIn, expectError, expectResult, expectThat, isOneOf } from './expectations.ts';
import { eachItem } from './lists.ts';
import { isUri } from './shapes.ts';

const RESOURCE_ERRORS = '2025-11-25 Resources §Error Handling';
const PROMPT_ERRORS = '2025-11-25 Prompts §Error Handling';

export const firstResource = (subject: Subject) =>
  firstOf(subject.list('resources'), () => true, 'The server lists no resources.');

export const resourceAndPromptChecks: readonly Check[] = [
  eachItem({
    id: 'resource-uris',
    title: 'Each resource has a name and a URI',
    severity: 'error',
    spec: '2025-11-25 Resources §Resource',
    list: 'resources',
    expected: 'a string "name" and a "uri" with a scheme',
    isRight: ({ uri, name }) => typeof name === 'string' && isUri(uri),
  }),
  {
    id: 'resource-uris-unique',
    title: 'No two resources have the same URI',
    severity: 'warning',
    spec: '2025-11-25 Resources §Resource',
    needs: ['resources'],
    run: async (subject) => {
      const [uri] = duplicatesIn((await subject.list('resources')).map((resource) => resource.uri));
      return expectThat(uri === undefined, () => `two resources ${shown(uri)}`, 'unique URIs');
    },
  },
  eachItem({
    id: 'resource-templates',
    title: 'Each resource template has a name and a URI template',
    severity: 'error',
    spec: '2025-11-25 Resources §Resource Templates',
    list: 'resourceTemplates',
    expected: 'a string "name" and a "uriTemplate" as in RFC 6570',
    isRight: ({ name, uriTemplate }) =>
      typeof name === 'string' && typeof uriTemplate === 'string' && /^([^{}]|\{[^{}]+\})+$/.test(uriTemplate),
  }),
  {
    id: 'resource-contents',
    title: 'A resource that is listed can be read, and its contents have a URI and text or a blob',
    severity: 'error',
    spec: '2025-11-25 Resources §Resource Contents',
    needs: ['sessions', 'resources'],
    run: async (subject) => {
      const resource = await firstResource(subject);
      const answer = await (await subject.shared()).ask('resources/read', { uri: resource.uri });
      return expectResult(
        answer,
        ({ contents }) =>
          isList(contents) &&
          contents
            .map(objectOrEmpty)
            .every(
              ({ uri, text, blob }) =>
                typeof uri === 'string' && (typeof text === 'string') !== (typeof blob === 'string'),
            ),
        'an array "contents" of objects with a "uri" and either a "text" or a "blob"',
      );
    },
  },
  refuses({
    id: 'unknown-resource',
    title: 'An unknown resource is answered with -32002',
    severity: 'warning',
    spec: RESOURCE_ERRORS,
    needs: ['sessions', 'resources'],
    method: 'resources/read',
    params: { uri: 'hawser-check:///no/such/resource' },
    codes: [-32002, -32602],
  }),
  refuses({
    id: 'resource-read-without-uri',
    title: 'resources/read without a URI is answered with -32602',
    severity: 'warning',
    spec: RESOURCE_ERRORS,
    needs: ['sessions', 'resources'],
    method: 'resources/read',
    params: {},
  }),
  {
    id: 'resource-subscribe',
    title: 'A server that declares subscriptions answers resources/subscribe',
    severity: 'error',
    spec: '2025-11-25 Resources §Subscriptions',
    needs: ['sessions', 'resources'],
    run: async (subject) => {
      if (memberAt(subject.capabilities, 'resources', 'subscribe') !== true)
        throw new NotApplicable('The server declares no subscriptions.');
      const resource = await firstResource(subject);
      const session = await subject.shared();
      for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
        const answer = await session.ask(method, { uri: resource.uri });
        if (answer.kind !== 'result') return { seen: `${method}: ${inWords(answer)}`, expected: 'an empty result' };
      }
      return undefined;
    },
  },
  {
    id: 'prompt-names-unique',
    title: 'Each prompt has a name, and no two the same',
    severity: 'error',
    spec: '2025-11-25 Prompts §Prompt',
    needs: ['prompts'],
    run: async (subject) => {
      const names = (await subject.list('prompts')).map((prompt) => prompt.name);
      const wrong = names.find((name) => typeof name !== 'string') ?? duplicatesIn(names)[0];
      return expectThat(wrong === undefined, () => `the name ${shown(wrong)}`, 'a string that is unique');
    },
  },
  eachItem({
    id: 'prompt-arguments',
    title: 'Arguments of prompts have a name, and "required" is a boolean',
    severity: 'error',
    spec: '2025-11-25 Prompts §Prompt',
    list: 'prompts',
    expected: 'an array "arguments" of objects with a string "name" and a boolean "required"',
    isRight: ({ arguments: given }) =>
      given === undefined ||
      (isList(given) &&
        given.every(
          (each) =>
            isObject(each) && typeof each.name === 'string' && ['boolean', 'undefined'].includes(typeof each.required),
        )),
  }),
  {
    id: 'prompt-messages',
    title: 'A prompt without required arguments has messages with a role and content',
    severity: 'error',
    spec: '2025-11-25 Prompts §PromptMessage',
    needs: ['sessions', 'prompts'],
    run: async (subject) => {
      const prompt = await firstOf(
        subject.list('prompts'),
        ({ arguments: given = [] }) => isList(given) && !given.some((each) => memberAt(each, 'required')),
        'Each prompt requires arguments.',
      );
      const answer = await (await subject.shared()).ask('prompts/get', { name: prompt.name });
      return expectResult(
        answer,
        ({ messages }) =>
          isList(messages) &&
          messages.every(
            (each) =>
              isOneOf(['user', 'assistant'], memberAt(each, 'role')) &&
              typeof memberAt(each, 'content', 'type') === 'string',
          ),
        'an array "messages" of objects with a "role" and typed "content"',
      );
    },
  },
  refuses({
    id: 'unknown-prompt',
    title: 'An unknown prompt is answered with -32602',
    severity: 'warning',
    spec: PROMPT_ERRORS,
    needs: ['sessions', 'prompts'],
    method: 'prompts/get',
    params: { name: 'hawser-no-such-prompt' },
  }),
  {
    id: 'prompt-argument-missing',
    title: 'A prompt without its required arguments is answered with -32602',
    severity: 'warning',
    spec: PROMPT_ERRORS,
    needs: ['sessions', 'prompts'],
    run: async (subject) => {
      const prompt = await firstOf(
        subject.list('prompts'),
        ({ arguments: given = [] }) => isList(given) && given.some((each) => memberAt(each, 'required') === true),
        'No prompt requires an argument.',
      );
      return expectError(await (await subject.shared()).ask('prompts/get', { name: prompt.name }), [-32602]);
    },
  },
];
