import { describeValue } from '../../jsonrpc/argument-checks.ts';

const TYPES = 'text, image, audio, resource and resource_link';
const BASE64 = "a text in Base64, as buffer.toString('base64') makes it";

/** What is wrong with a content block, as in `has no text`; undefined when it is fine. */
export function problemOfBlock(block: unknown): string | undefined {
  if (typeof block !== 'object' || block === null) {
    return `is ${describeKind(block)}, not a content block like { type: "text", text: "…" }`;
  }
  const { type } = block as { readonly type?: unknown };
  switch (type) {
    case 'text':
      return problemOfText(block, 'text');
    case 'image':
    case 'audio':
      return problemOfText(block, 'data', BASE64) ?? problemOfText(block, 'mimeType');
    case 'resource_link':
      return problemOfText(block, 'uri') ?? problemOfText(block, 'name');
    case 'resource':
      return problemOfResource((block as { readonly resource?: unknown }).resource);
    default:
      return `has ${type === undefined ? 'no type' : `the type ${JSON.stringify(type)}`}; types are ${TYPES}`;
  }
}

/** What is wrong with the contents of a resource, besides their URI, which may be left out. */
export function problemOfContents(contents: unknown): string | undefined {
  const { text, blob } = Object(contents) as { readonly text?: unknown; readonly blob?: unknown };
  if (typeof text === 'string' || typeof blob === 'string') return undefined;
  if (blob !== undefined) return `has a blob that is ${describeKind(blob)}, not ${BASE64}`;
  return text === undefined ? 'has neither text nor blob' : `has a text that is ${describeKind(text)}`;
}

/** A value as messages about mistakes name it: `null`, `an array`, `a string`. */
export function describeKind(value: unknown): string {
  return typeof value === 'string' || typeof value === 'boolean' ? `a ${typeof value}` : describeValue(value);
}

function problemOfResource(resource: unknown): string | undefined {
  if (typeof resource !== 'object' || resource === null) return 'has no resource like { uri, text }';
  const problem = problemOfText(resource, 'uri') ?? problemOfContents(resource);
  return problem && `has a resource that ${problem}`;
}

function problemOfText(holder: object, member: string, expected = 'a string'): string | undefined {
  const value = (holder as { readonly [member: string]: unknown })[member];
  if (typeof value === 'string') return undefined;
  return value === undefined ? `has no ${member}` : `has ${member} that is ${describeKind(value)}, not ${expected}`;
}
