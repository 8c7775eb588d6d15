import { isList, isObject, type Members, memberAt, objectOrEmpty } from '@hawser/unknown-values/objects';
import { type Check, NotApplicable } from '../check.ts';
import { inWords, shown } from '../in-words.ts';
import type { Subject } from '../subject.ts';
import { firstOf, needing, refuses } from './builders.ts';
import { duplicatesIn, expectResult, expectThat } from './expectations.ts';
import { eachItem } from './lists.ts';
import { isFlag, isText } from './shapes.ts';
import { harmlessTool, requiredIn } from './tool-calls.ts';

const TOOL = '2025-11-25 Tools §Tool';
const TOOL_NAMES = '2025-11-25 Tools §Tool Names';
const TOOL_ERRORS = '2025-11-25 Tools §Error Handling';

function schemaCheck(id: string, member: 'inputSchema' | 'outputSchema'): Check {
  return {
    id,
    title: `Each ${member} is a valid JSON Schema`,
    severity: 'error',
    spec: '2025-11-25 Base Protocol §JSON Schema Usage',
    needs: ['tools'],
    run: async (subject) => {
      for (const tool of await subject.list('tools')) {
        if (!isObject(tool[member])) continue;
        const flaw = subject.schemas.flawOf(tool[member], subject.protocolVersion);
        if (flaw !== undefined) return { seen: `${tool.name}: ${flaw}`, expected: 'a schema that compiles' };
      }
      return undefined;
    },
  };
}

const NEEDS = ['sessions', 'tools'] as const;

export const toolChecks = needing(NEEDS, [
  eachItem({
    list: 'tools',
    id: 'tool-names',
    title: 'Tool names have 1 to 128 letters, digits, underscores, dashes and dots',
    severity: 'warning',
    spec: TOOL_NAMES,
    expected: 'a name of 1 to 128 characters out of A-Z, a-z, 0-9, _, - and .',
    isRight: ({ name }) => typeof name === 'string' && /^[A-Za-z0-9_.-]{1,128}$/.test(name),
  }),
  {
    id: 'tool-names-unique',
    title: 'No two tools have the same name',
    severity: 'warning',
    spec: TOOL_NAMES,
    needs: ['tools'],
    run: async (subject) => {
      const [name] = duplicatesIn((await subject.list('tools')).map((tool) => tool.name));
      return expectThat(name === undefined, () => `two tools named ${shown(name)}`, 'unique names');
    },
  },
  eachItem({
    list: 'tools',
    id: 'tool-input-schema',
    title: 'Each tool has an inputSchema of type object',
    severity: 'error',
    spec: TOOL,
    expected: 'an inputSchema with "type": "object"',
    isRight: ({ inputSchema }) => isObject(inputSchema) && inputSchema.type === 'object',
  }),
  schemaCheck('tool-input-schema-valid', 'inputSchema'),
  schemaCheck('tool-output-schema-valid', 'outputSchema'),
  eachItem({
    list: 'tools',
    id: 'tool-annotations',
    title: 'Annotations of tools have the right types',
    severity: 'error',
    spec: '2025-11-25 Schema Reference §ToolAnnotations',
    expected: 'a string as title, and booleans as hints',
    isRight: ({ annotations }) =>
      annotations === undefined ||
      (isObject(annotations) &&
        isText(annotations.title) &&
        ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'].every((hint) =>
          isFlag(annotations[hint]),
        )),
  }),
  eachItem({
    list: 'tools',
    id: 'tool-descriptions',
    title: 'Each tool has a description',
    severity: 'info',
    spec: TOOL,
    expected: 'a description, by which models choose tools',
    isRight: ({ description }) => typeof description === 'string' && description.trim() !== '',
  }),
  refuses({
    id: 'unknown-tool',
    title: 'An unknown tool is answered with -32602',
    severity: 'warning',
    spec: TOOL_ERRORS,
    method: 'tools/call',
    params: { name: 'hawser-no-such-tool', arguments: {} },
  }),
  {
    id: 'unknown-tool-prototype',
    title: 'A tool named as a member of every object is unknown',
    severity: 'error',
    spec: TOOL_ERRORS,
    run: async (subject) => {
      const session = await subject.shared();
      const names = (await subject.list('tools')).map((tool) => tool.name);
      for (const name of ['toString', '__proto__', 'constructor'].filter((each) => !names.includes(each))) {
        const answer = await session.ask('tools/call', { name, arguments: {} });
        const isRefused =
          answer.kind === 'error' ? answer.code !== -32603 : answer.kind === 'result' && answer.result.isError === true;
        if (!isRefused) return { seen: `${name}: ${inWords(answer)}`, expected: 'the answer for an unknown tool' };
      }
      return undefined;
    },
  },
  refuses({
    id: 'tool-call-without-name',
    title: 'tools/call without a name is answered with -32602',
    severity: 'warning',
    spec: TOOL_ERRORS,
    method: 'tools/call',
    params: { arguments: {} },
  }),
  {
    id: 'tool-arguments-missing',
    title: 'A call without its required arguments is refused',
    severity: 'error',
    spec: TOOL_ERRORS,
    callsTools: true,
    run: async (subject) => {
      const tool = await toolWhere(subject, ({ required }) => required.length > 0, 'No tool requires an argument.');
      return expectRefused(subject, { name: tool.name, arguments: {} });
    },
  },
  {
    id: 'tool-arguments-type',
    title: 'A call with arguments of the wrong type is refused',
    severity: 'error',
    spec: TOOL_ERRORS,
    callsTools: true,
    run: async (subject) => {
      const isText = ({ required, properties }: Schema) =>
        required.some((name) => memberAt(properties, name, 'type') === 'string');
      const tool = await toolWhere(subject, isText, 'No tool requires a string.');
      const required = requiredIn(tool.inputSchema);
      return expectRefused(subject, {
        name: tool.name,
        arguments: Object.fromEntries(required.map((name) => [String(name), [{}]])),
      });
    },
  },
  {
    id: 'tool-result',
    title: 'The result of a tool has an array of typed content',
    severity: 'error',
    spec: '2025-11-25 Tools §Tool Result',
    callsTools: true,
    run: async (subject) => {
      const tool = await harmlessTool(subject);
      const answer = await (await subject.shared()).ask('tools/call', { name: tool.name, arguments: {} });
      if (answer.kind === 'error') throw new NotApplicable(`${tool.name} failed.`);
      return expectResult(
        answer,
        ({ content, resultType }) =>
          resultType === 'input_required' ||
          (isList(content) && content.every((item) => typeof memberAt(item, 'type') === 'string')),
        'an array "content" whose items have a "type"',
      );
    },
  },
]);

interface Schema {
  readonly required: readonly string[];
  readonly properties: Members;
}

function toolWhere(subject: Subject, isRight: (schema: Schema) => boolean, none: string): Promise<Members> {
  return firstOf(
    subject.list('tools'),
    ({ inputSchema }) =>
      isRight({
        required: requiredIn(inputSchema).map(String),
        properties: objectOrEmpty(memberAt(inputSchema, 'properties')),
      }),
    none,
  );
}

async function expectRefused(subject: Subject, params: object) {
  const answer = await (await subject.shared()).ask('tools/call', params);
  const isRefused =
    (answer.kind === 'result' && answer.result.isError === true) || (answer.kind === 'error' && answer.code === -32602);
  return expectThat(
    isRefused,
    () => `${shown(params)}: ${inWords(answer)}`,
    'a result with "isError": true, or an error with code -32602',
  );
}
