import { isObject, listOrEmpty, type Members, memberAt, objectOrEmpty } from '@hawser/unknown-values/objects';
import { type Check, type Need, NotApplicable } from '../check.ts';
import { inWords, shown } from '../in-words.ts';
import type { ListName } from '../subject.ts';
import { answers, type Row, refuses } from './builders.ts';
import { duplicatesIn, expectEach, expectThat } from './expectations.ts';
import { areAnnotations, areIcons, isMeta, isMimeType, isText, unsafeIconSources } from './shapes.ts';

interface List {
  readonly name: ListName;
  /** What checks of single items begin with. */
  readonly one: string;
  /** What checks of the list begin with. */
  readonly many: string;
  readonly method: string;
  readonly needs: readonly Need[];
  readonly spec: string;
}

const LISTS: readonly List[] = [
  {
    name: 'tools',
    one: 'tool',
    many: 'tools',
    method: 'tools/list',
    needs: ['tools'],
    spec: '2025-11-25 Tools §Listing Tools',
  },
  {
    name: 'resources',
    one: 'resource',
    many: 'resources',
    method: 'resources/list',
    needs: ['resources'],
    spec: '2025-11-25 Resources §Listing Resources',
  },
  {
    name: 'resourceTemplates',
    one: 'resource-template',
    many: 'resource-templates',
    method: 'resources/templates/list',
    needs: ['resources'],
    spec: '2025-11-25 Resources §Resource Templates',
  },
  {
    name: 'prompts',
    one: 'prompt',
    many: 'prompts',
    method: 'prompts/list',
    needs: ['prompts'],
    spec: '2025-11-25 Prompts §Listing Prompts',
  },
];

/** A rule for each item of a list. */
export function eachItem({
  list,
  expected,
  isRight,
  ...facts
}: Row<{ list: ListName; expected: string; isRight: (item: Members) => boolean }>): Check {
  const { what, need } = ITEMS[list];
  return {
    needs: [need],
    ...facts,
    run: async (subject) => expectEach(await subject.items(list), isRight, { what, expected }),
  };
}

const ITEMS: Readonly<Record<ListName, { readonly what: string; readonly need: Need }>> = {
  tools: { what: 'the tool', need: 'tools' },
  resources: { what: 'the resource', need: 'resources' },
  resourceTemplates: { what: 'the template', need: 'resources' },
  prompts: { what: 'the prompt', need: 'prompts' },
};

/** Rules that are the same for every list. */
function checksOf({ name, one, many, method, needs, spec }: List): Check[] {
  const inSession = { needs: ['sessions', ...needs] as const };
  return [
    eachItem({
      list: name,
      id: `${one}-icons`,
      title: `Icons in ${method} have a source, and the right types`,
      severity: 'error',
      spec: '2025-11-25 Base Protocol §icons',
      expected: 'an array of objects with a string "src", and as "sizes" an array of strings',
      isRight: ({ icons }) => areIcons(icons),
    }),
    eachItem({
      list: name,
      id: `${one}-meta`,
      title: `_meta in ${method} is an object whose keys follow the naming rules`,
      severity: 'error',
      spec: '2025-11-25 Base Protocol §_meta',
      expected: 'keys that begin and end with a letter or digit, after an optional prefix such as com.example/',
      isRight: ({ _meta }) => isMeta(_meta),
    }),
    eachItem({
      list: name,
      id: `${one}-texts`,
      title: `Titles and descriptions in ${method} are strings`,
      severity: 'error',
      spec,
      expected: 'strings as title and description',
      isRight: ({ title, description }) => isText(title) && isText(description),
    }),
    {
      id: `${many}-pagination`,
      title: `The pages of ${method} end, and nextCursor is a string`,
      severity: 'error',
      spec: '2025-11-25 Pagination §Response Format',
      ...inSession,
      run: async (subject) => {
        const session = await subject.shared();
        const cursors = new Set<unknown>();
        for (let cursor: unknown; ; ) {
          const answer = await session.ask(method, cursor === undefined ? {} : { cursor });
          if (answer.kind === 'error' && answer.code === -32601) throw new NotApplicable(`There is no ${method}.`);
          if (answer.kind !== 'result')
            return { seen: inWords(answer), expected: 'a page for the cursor that the server gave' };
          cursor = answer.result.nextCursor;
          if (cursor === undefined) return undefined;
          if (typeof cursor !== 'string')
            return { seen: `nextCursor ${shown(cursor)}`, expected: 'a string, or no member' };
          if (cursors.has(cursor)) return { seen: `the cursor ${shown(cursor)} again`, expected: 'pages that end' };
          cursors.add(cursor);
          if (cursors.size > 1000) throw new NotApplicable('There are more than 1000 pages.');
        }
      },
    },
    refuses({
      id: `${many}-bad-cursor`,
      title: `An invalid cursor of ${method} is answered with -32602`,
      severity: 'warning',
      spec: '2025-11-25 Pagination §Error Handling',
      ...inSession,
      method,
      params: { cursor: 'hawser-no-such-cursor' },
    }),
    refuses({
      id: `${many}-cursor-type`,
      title: `A cursor of ${method} that is a number is answered with -32602`,
      severity: 'warning',
      spec: '2025-11-25 Pagination §Error Handling',
      ...inSession,
      method,
      params: { cursor: 5 },
    }),
    answers({
      id: `${many}-without-params`,
      title: `${method} is answered without params`,
      severity: 'error',
      spec: '2025-11-25 Pagination §Request Format',
      ...inSession,
      method,
    }),
    {
      id: `${many}-order`,
      title: `${method} lists the same, in the same order, when asked again`,
      severity: 'info',
      spec: name === 'tools' ? '2026-07-28 Tools §Capabilities' : spec,
      ...inSession,
      run: async (subject) => {
        const session = await subject.shared();
        const [first, second] = [await session.ask(method, {}), await session.ask(method, {})].map((answer) =>
          answer.kind === 'result' ? namesIn(answer.result[name]) : undefined,
        );
        if (first === undefined) throw new NotApplicable(`${method} lists nothing.`);
        return expectThat(first === second, () => `first ${shown(first)}, then ${shown(second)}`, 'the same');
      },
    },
  ];
}

function namesIn(items: unknown): string {
  return JSON.stringify(
    listOrEmpty(items)
      .map(objectOrEmpty)
      .map(({ uri, uriTemplate, name }) => uri ?? uriTemplate ?? name),
  );
}

const resourceLike = (['resources', 'resourceTemplates'] as const).flatMap((name): Check[] => {
  const one = name === 'resources' ? 'resource' : 'resource-template';
  const spec = '2025-11-25 Resources §Annotations';
  return [
    eachItem({
      list: name,
      id: `${one}-annotations`,
      title: `Annotations of each ${one.replace('-', ' ')} have an audience of roles, a priority of 0 to 1 and a date`,
      severity: 'error',
      spec,
      expected: 'an array of user and assistant, a number from 0 to 1, an ISO 8601 date',
      isRight: ({ annotations }) => areAnnotations(annotations),
    }),
    eachItem({
      list: name,
      id: `${one}-mime-type`,
      title: `The mimeType of each ${one.replace('-', ' ')} is a MIME type`,
      severity: 'warning',
      spec: '2025-11-25 Resources §Resource',
      expected: 'a type such as text/plain',
      isRight: ({ mimeType }) => mimeType === undefined || isMimeType(mimeType),
    }),
  ];
});

export const listChecks: readonly Check[] = [
  ...LISTS.flatMap(checksOf),
  ...resourceLike,
  eachItem({
    list: 'resources',
    id: 'resource-size',
    title: 'The size of a resource is a number of bytes',
    severity: 'error',
    spec: '2025-11-25 Resources §Resource',
    expected: 'an integer from 0 on',
    isRight: ({ size }) => size === undefined || (typeof size === 'number' && Number.isInteger(size) && size >= 0),
  }),
  eachItem({
    list: 'resources',
    id: 'resource-uri-syntax',
    title: 'URIs have no characters that RFC 3986 forbids',
    severity: 'warning',
    spec: '2025-11-25 Resources §Custom URI Schemes',
    expected: 'spaces and other forbidden characters percent-encoded',
    isRight: ({ uri }) => typeof uri !== 'string' || !/[\s<>"{}|\\^`]/.test(uri),
  }),
  {
    id: 'resource-templates-unique',
    title: 'No two resource templates are the same',
    severity: 'warning',
    spec: '2025-11-25 Resources §Resource Templates',
    needs: ['resources'],
    run: async (subject) => {
      const [same] = duplicatesIn((await subject.list('resourceTemplates')).map((each) => each.uriTemplate));
      return expectThat(same === undefined, () => `two templates ${shown(same)}`, 'different templates');
    },
  },
  eachItem({
    list: 'prompts',
    id: 'prompt-argument-texts',
    title: 'Titles and descriptions of the arguments of prompts are strings',
    severity: 'error',
    spec: '2025-11-25 Prompts §Prompt',
    expected: 'strings as title and description',
    isRight: ({ arguments: given }) =>
      listOrEmpty(given)
        .map(objectOrEmpty)
        .every(({ title, description }) => isText(title) && isText(description)),
  }),
  eachItem({
    list: 'prompts',
    id: 'prompt-arguments-unique',
    title: 'No prompt has two arguments of the same name',
    severity: 'warning',
    spec: '2025-11-25 Prompts §Prompt',
    expected: 'different names',
    isRight: ({ arguments: given }) =>
      duplicatesIn(listOrEmpty(given).map((each) => memberAt(each, 'name'))).length === 0,
  }),
  {
    id: 'icon-sources',
    title: 'Icons come from https: or data: addresses, which are all that clients load',
    severity: 'warning',
    spec: '2025-11-25 Base Protocol §icons',
    run: async (subject) => {
      const iconsOf = async ({ name, needs }: List) =>
        needs.every((need) => subject.capabilities[need] !== undefined)
          ? (await subject.list(name).catch(() => [])).flatMap((item) => unsafeIconSources(item.icons))
          : [];
      const unsafe = isObject(subject.serverInfo) ? unsafeIconSources(subject.serverInfo.icons) : [];
      // One after the other: they share a connection.
      for (const list of LISTS) unsafe.push(...(await iconsOf(list)));
      return expectThat(unsafe.length === 0, () => shown(unsafe[0]), 'an https: or data: address');
    },
  },
];
