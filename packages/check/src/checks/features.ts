import { isList, listOrEmpty, type Members, memberAt, objectOrEmpty } from '@hawser/unknown-values/objects';
import { type Check, NotApplicable } from '../check.ts';
import { inWords, shown } from '../in-words.ts';
import type { Subject } from '../subject.ts';
import { firstFinding, firstOf, type Row, refuses } from './builders.ts';
import { promptResults } from './content.ts';
import { expectError, expectResult, expectThat } from './expectations.ts';
import { isMeta, isMimeType, isResourceContents, isText, isUri } from './shapes.ts';
import { requiredIn } from './tool-calls.ts';

const RESOURCE_ERRORS = '2025-11-25 Resources §Error Handling';
const PROMPT_ERRORS = '2025-11-25 Prompts §Error Handling';
const TOOL_ERRORS = '2025-11-25 Tools §Error Handling';
const MAX_RESOURCES = 10;

const toolNeeds = ['sessions', 'tools'] as const;
const resourceNeeds = ['sessions', 'resources'] as const;
const promptNeeds = ['sessions', 'prompts'] as const;

/** Everything that the first resources contain. */
function readContents(subject: Subject): Promise<readonly unknown[]> {
  return subject.once('contents', async () => {
    const contents: unknown[] = [];
    for (const { uri } of (await subject.list('resources')).slice(0, MAX_RESOURCES)) {
      const answer = await (await subject.shared()).ask('resources/read', { uri });
      if (answer.kind === 'result') contents.push(...listOrEmpty(answer.result.contents));
    }
    if (contents.length === 0) throw new NotApplicable('No resource could be read.');
    return contents;
  });
}

/** A rule for each part of the contents of resources. */
function eachContent({
  expected,
  isRight,
  ...facts
}: Row<{ expected: string; isRight: (item: Members) => boolean }>): Check {
  return {
    needs: resourceNeeds,
    ...facts,
    run: async (subject) => {
      const wrong = (await readContents(subject)).find((item) => !isRight(objectOrEmpty(item)));
      return wrong === undefined ? undefined : { seen: shown(wrong), expected };
    },
  };
}

export const featureChecks: readonly Check[] = [
  ...[
    { id: 'tool-name-type', title: 'a number as name', name: 5 },
    { id: 'tool-name-null', title: 'null as name', name: null },
  ].map(({ id, title, name }) =>
    refuses({
      id,
      title: `tools/call with ${title} is answered with -32602`,
      severity: 'warning',
      spec: TOOL_ERRORS,
      needs: toolNeeds,
      method: 'tools/call',
      params: { name, arguments: {} },
    }),
  ),
  {
    id: 'tool-name-case',
    title: 'Names of tools are case-sensitive',
    severity: 'warning',
    spec: '2025-11-25 Tools §Tool Names',
    needs: toolNeeds,
    // If a server ignores case, this calls a tool.
    callsTools: true,
    run: async (subject) => {
      const names = (await subject.list('tools')).map(({ name }) => String(name));
      const harmless = await firstOf(
        subject.list('tools'),
        ({ name, annotations }) =>
          memberAt(annotations, 'readOnlyHint') === true && !names.includes(String(name).toUpperCase()),
        'No read-only tool has a name with small letters.',
      );
      const answer = await (await subject.shared()).ask('tools/call', {
        name: String(harmless.name).toUpperCase(),
        arguments: {},
      });
      const isRefused = answer.kind !== 'result' || answer.result.isError === true;
      return expectThat(isRefused, () => inWords(answer), 'the answer for an unknown tool');
    },
  },
  {
    id: 'unknown-tool-named',
    title: 'The error for an unknown tool names it',
    severity: 'info',
    spec: TOOL_ERRORS,
    needs: toolNeeds,
    run: async (subject) => {
      const answer = await (await subject.shared()).ask('tools/call', { name: 'hawser-no-such-tool', arguments: {} });
      return expectThat(
        inWords(answer).includes('hawser-no-such-tool'),
        () => inWords(answer),
        'a message with the name',
      );
    },
  },
  ...[
    { id: 'tool-arguments-array', title: 'an array', given: [] },
    { id: 'tool-arguments-text', title: 'a string', given: 'text' },
  ].map(
    ({ id, title, given }): Check => ({
      id,
      title: `A call whose arguments are ${title} is refused`,
      severity: 'warning',
      spec: TOOL_ERRORS,
      needs: toolNeeds,
      callsTools: true,
      run: async (subject) => {
        const tool = await firstOf(
          subject.list('tools'),
          ({ inputSchema }) => requiredIn(inputSchema).length > 0,
          'No tool requires an argument.',
        );
        const answer = await (await subject.shared()).ask('tools/call', { name: tool.name, arguments: given });
        return answer.kind === 'result' && answer.result.isError === true ? undefined : expectError(answer, [-32602]);
      },
    }),
  ),
  refuses({
    id: 'resource-uri-type',
    title: 'resources/read with a number as URI is answered with -32602',
    severity: 'warning',
    spec: RESOURCE_ERRORS,
    needs: resourceNeeds,
    method: 'resources/read',
    params: { uri: 5 },
  }),
  refuses({
    id: 'resource-uri-relative',
    title: 'resources/read of something that is not a URI is refused',
    severity: 'warning',
    spec: RESOURCE_ERRORS,
    needs: resourceNeeds,
    method: 'resources/read',
    params: { uri: 'hawser no such resource' },
    codes: [-32002, -32602],
  }),
  {
    id: 'unknown-resource-named',
    title: 'The error for an unknown resource has its URI',
    severity: 'info',
    spec: RESOURCE_ERRORS,
    needs: resourceNeeds,
    run: async (subject) => {
      const uri = 'hawser-check:///no/such/resource';
      const answer = await (await subject.shared()).ask('resources/read', { uri });
      if (answer.kind !== 'error') throw new NotApplicable('The server does not refuse it.');
      return expectThat(
        JSON.stringify(answer.error).includes(uri),
        () => inWords(answer),
        'the URI in the message or in data',
      );
    },
  },
  {
    id: 'resources-readable',
    title: `The first ${MAX_RESOURCES} resources that are listed can be read`,
    severity: 'warning',
    spec: '2025-11-25 Resources §Reading Resources',
    needs: resourceNeeds,
    run: async (subject) => {
      const uris = (await subject.list('resources')).slice(0, MAX_RESOURCES).map(({ uri }) => uri);
      const session = await subject.shared();
      return await firstFinding(uris, async (uri) =>
        expectResult(await session.ask('resources/read', { uri }), () => true, 'its contents'),
      );
    },
  },
  eachContent({
    id: 'resource-content-uri',
    title: 'Each part of a resource has a URI',
    severity: 'error',
    spec: '2025-11-25 Resources §Resource Contents',
    expected: 'a "uri" with a scheme',
    isRight: (item) => isUri(item.uri),
  }),
  eachContent({
    id: 'resource-content-mime-type',
    title: 'The mimeType of each part of a resource is a MIME type',
    severity: 'warning',
    spec: '2025-11-25 Resources §Resource Contents',
    expected: 'a type such as text/plain',
    isRight: (item) => item.mimeType === undefined || isMimeType(item.mimeType),
  }),
  eachContent({
    id: 'resource-content-blob',
    title: 'A blob is base64',
    severity: 'error',
    spec: '2025-11-25 Resources §Binary Content',
    expected: 'standard base64',
    isRight: (item) => item.blob === undefined || isResourceContents({ uri: 'any:', blob: item.blob }),
  }),
  eachContent({
    id: 'resource-content-meta',
    title: 'The _meta of each part of a resource is an object whose keys follow the naming rules',
    severity: 'error',
    spec: '2025-11-25 Base Protocol §_meta',
    expected: 'keys that begin and end with a letter or digit, after an optional prefix such as com.example/',
    isRight: (item) => isMeta(item._meta),
  }),
  refuses({
    id: 'resource-subscribe-without-uri',
    title: 'resources/subscribe without a URI is refused',
    severity: 'warning',
    spec: RESOURCE_ERRORS,
    needs: resourceNeeds,
    method: 'resources/subscribe',
    params: {},
    codes: [-32602, -32601],
  }),
  refuses({
    id: 'prompt-get-without-name',
    title: 'prompts/get without a name is answered with -32602',
    severity: 'warning',
    spec: PROMPT_ERRORS,
    needs: promptNeeds,
    method: 'prompts/get',
    params: {},
  }),
  refuses({
    id: 'prompt-name-type',
    title: 'prompts/get with a number as name is answered with -32602',
    severity: 'warning',
    spec: PROMPT_ERRORS,
    needs: promptNeeds,
    method: 'prompts/get',
    params: { name: 5 },
  }),
  {
    id: 'unknown-prompt-prototype',
    title: 'A prompt named as a member of every object is unknown',
    severity: 'error',
    spec: PROMPT_ERRORS,
    needs: promptNeeds,
    run: async (subject) => {
      const session = await subject.shared();
      return await firstFinding(['toString', '__proto__', 'constructor'], async (name) => {
        const answer = await session.ask('prompts/get', { name });
        const isRefused = answer.kind === 'error' && answer.code !== -32603;
        return expectThat(isRefused, () => inWords(answer), 'the answer for an unknown prompt');
      });
    },
  },
  {
    id: 'prompt-arguments-array',
    title: 'prompts/get with an array as arguments is answered with -32602',
    severity: 'warning',
    spec: PROMPT_ERRORS,
    needs: promptNeeds,
    run: async (subject) => {
      const prompt = await firstOf(
        subject.list('prompts'),
        ({ arguments: given }) => isList(given) && given.some((each) => memberAt(each, 'required') === true),
        'No prompt requires an argument.',
      );
      return expectError(
        await (await subject.shared()).ask('prompts/get', { name: prompt.name, arguments: [] }),
        [-32602],
      );
    },
  },
  {
    id: 'prompt-description',
    title: 'The description of a prompt that was got is a string',
    severity: 'error',
    spec: '2025-11-25 Prompts §Getting a Prompt',
    needs: promptNeeds,
    run: async (subject) => {
      const wrong = (await promptResults(subject)).find(({ description }) => !isText(description));
      return wrong && { seen: shown(wrong), expected: 'a string, or no member' };
    },
  },
];
