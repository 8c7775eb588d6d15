import { isList, listOrEmpty, type Members, memberAt, objectOrEmpty } from '@hawser/unknown-values/objects';
import { type Check, NotApplicable } from '../check.ts';
import { shown } from '../in-words.ts';
import type { Subject } from '../subject.ts';
import type { Facts } from './builders.ts';
import { isOneOf } from './expectations.ts';
import { areAnnotations, isBase64, isMeta, isMimeType, isResourceContents, isText, isUri } from './shapes.ts';
import { toolResults } from './tool-calls.ts';

interface BlockRule {
  readonly name: string;
  readonly title: string;
  readonly heading: string;
  readonly expected: string;
  /** Undefined: every type. */
  readonly type?: string;
  readonly isRight: (block: Members) => boolean;
}

const TYPES = ['text', 'image', 'audio', 'resource', 'resource_link'];
const isMedia = ({ data, mimeType }: Members) => isBase64(data) && isMimeType(mimeType);

const RULES: readonly BlockRule[] = [
  {
    name: 'types',
    title: 'is of a type that clients know',
    heading: '',
    expected: `an object whose "type" is one of ${TYPES.join(', ')}`,
    isRight: (block) => isOneOf(TYPES, block.type),
  },
  {
    name: 'annotations',
    title: 'has annotations with an audience of roles, a priority of 0 to 1 and a date',
    heading: '',
    expected: 'an array of user and assistant, a number from 0 to 1, an ISO 8601 date',
    isRight: (block) => areAnnotations(block.annotations),
  },
  {
    name: 'meta',
    title: 'has a _meta that is an object whose keys follow the naming rules',
    heading: '',
    expected: 'keys that begin and end with a letter or digit, after an optional prefix such as com.example/',
    isRight: (block) => isMeta(block._meta),
  },
  {
    name: 'text',
    type: 'text',
    title: 'of type text has a text',
    heading: 'Text Content',
    expected: 'a string "text"',
    isRight: ({ text }) => typeof text === 'string',
  },
  {
    name: 'image',
    type: 'image',
    title: 'of type image has base64 data and a MIME type',
    heading: 'Image Content',
    expected: '"data" in base64 and a "mimeType"',
    isRight: isMedia,
  },
  {
    name: 'audio',
    type: 'audio',
    title: 'of type audio has base64 data and a MIME type',
    heading: 'Audio Content',
    expected: '"data" in base64 and a "mimeType"',
    isRight: isMedia,
  },
  {
    name: 'resource',
    type: 'resource',
    title: 'of type resource has a URI, and text or base64',
    heading: 'Embedded Resources',
    expected: '"resource" with a "uri", and either a "text" or a "blob" in base64',
    isRight: ({ resource }) => isResourceContents(resource),
  },
  {
    name: 'link',
    type: 'resource_link',
    title: 'of type resource_link has a URI and a name',
    heading: 'Resource Links',
    expected: 'a "uri" and a string "name"',
    isRight: ({ uri, name, mimeType }) => isUri(uri) && typeof name === 'string' && isText(mimeType),
  },
];

function checksOf(
  source: 'tool' | 'prompt',
  facts: Pick<Facts, 'needs' | 'callsTools'>,
  blocksOf: (subject: Subject) => Promise<readonly unknown[]>,
): Check[] {
  const page = source === 'tool' ? 'Tools' : 'Prompts';
  const section = source === 'tool' ? 'Tool Result' : 'PromptMessage';
  return RULES.map(({ name, type, title, heading, expected, isRight }) => ({
    id: `${source}-content-${name}`,
    title: `Content of each ${source} ${title}`,
    severity: 'error',
    // Prompts had no links before 2026-07-28.
    spec:
      source === 'prompt' && name === 'link'
        ? '2026-07-28 Prompts §Resource Links'
        : `2025-11-25 ${name === 'meta' ? 'Base Protocol §_meta' : `${page} §${heading || section}`}`,
    ...facts,
    run: async (subject) => {
      const blocks = (await blocksOf(subject)).filter(
        (block) => type === undefined || memberAt(block, 'type') === type,
      );
      if (blocks.length === 0) throw new NotApplicable(`No ${source} gave content of this type.`);
      const wrong = blocks.find((block) => !isRight(objectOrEmpty(block)));
      return wrong === undefined ? undefined : { seen: shown(wrong), expected };
    },
  }));
}

async function toolBlocks(subject: Subject): Promise<readonly unknown[]> {
  return (await toolResults(subject)).flatMap(({ result }) => listOrEmpty(result.content));
}

const MAX_PROMPTS = 10;

/** The results of prompts that need no arguments. */
export function promptResults(subject: Subject): Promise<readonly Members[]> {
  return subject.once('prompt results', async () => {
    const results: Members[] = [];
    const prompts = (await subject.list('prompts')).filter(
      ({ arguments: given = [] }) => isList(given) && !given.some((each) => memberAt(each, 'required')),
    );
    for (const { name } of prompts.slice(0, MAX_PROMPTS)) {
      const answer = await (await subject.shared()).ask('prompts/get', { name });
      if (answer.kind === 'result') results.push(answer.result);
    }
    if (results.length === 0) throw new NotApplicable('No prompt can be got without arguments.');
    return results;
  });
}

async function promptBlocks(subject: Subject): Promise<readonly unknown[]> {
  return (await promptResults(subject)).flatMap(({ messages }) =>
    listOrEmpty(messages).map((message) => memberAt(message, 'content')),
  );
}

export const contentChecks: readonly Check[] = [
  ...checksOf('prompt', { needs: ['sessions', 'prompts'] }, promptBlocks),
  ...checksOf('tool', { needs: ['sessions', 'tools'], callsTools: true }, toolBlocks),
];
