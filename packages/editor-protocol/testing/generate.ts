import { type MessageSpec, messages, PROTOCOL_VERSION } from '../src/messages.ts';
import type { Json, Schema } from '../src/schema.ts';

const specs: readonly (readonly [string, MessageSpec])[] = Object.entries(messages);

/** The JSON Schema of every message: `#/$defs/<method>/params` and `/result`, beside the shapes they are made of. */
export function schemaJson(): string {
  const defs: Record<string, Json> = {};
  const refer = (schema: Schema<unknown>): Json => {
    const { name, description } = schema;
    if (name === undefined) return schema.toJson(refer);
    defs[name] ??= { description, ...schema.toJson(refer) };
    return { $ref: `#/$defs/${name}` };
  };
  const methods = specs.map(([method, { from, description, params, result }]) => [
    method,
    { description, from, params: refer(params), ...(result && { result: refer(result) }) },
  ]);
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `The Hawser editor protocol, version ${PROTOCOL_VERSION}`,
    messages: Object.fromEntries(methods),
    $defs: defs,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const HEAD = `# Editor protocol: messages

Made from the sources of \`@hawser/editor-protocol\`; [the specification](editor-protocol.md) has the rules.
A member with a question mark may be absent.
`;

/** The page with every message and shape. */
export function referencePage(): string {
  const shapes = new Map<string, Schema<unknown>>();
  const collect = (schema: Schema<unknown>): Json => {
    const { name } = schema;
    if (name !== undefined && !shapes.has(name)) shapes.set(name, schema);
    return schema.toJson(collect);
  };
  for (const [, { params, result }] of specs) {
    collect(params);
    if (result !== undefined) collect(result);
  }
  const sections = specs.map(([method, spec]) => messageSection(method, spec));
  const definitions = [...shapes].map(([name, schema]) => {
    return `### ${name}\n\n${schema.description}\n\n${membersOf(schema, { isOwn: true })}`;
  });
  return `${[HEAD, '## Messages\n', ...sections, '## Shapes\n', ...definitions].join('\n').trimEnd()}\n`;
}

function messageSection(method: string, { from, description, params, result }: MessageSpec): string {
  const kind = result === undefined ? 'notification' : 'request';
  const parts = [`### ${method}\n`, `A ${kind} of the ${from}. ${description}\n`];
  const members = membersOf(params, {});
  if (members !== '') parts.push(`Params:${members.startsWith('\n') ? '' : ' '}${members}`);
  if (result !== undefined) parts.push(`Result:${resultOf(result)}`);
  return parts.join('\n');
}

function resultOf(result: Schema<unknown>): string {
  const members = membersOf(result, {}) || '`null`\n';
  return members.startsWith('\n') ? members : ` ${members}`;
}

/** A list of members for an object, else one line. */
function membersOf(schema: Schema<unknown>, { isOwn }: { readonly isOwn?: true }): string {
  if (schema.name !== undefined && isOwn === undefined) return `\`${schema.name}\`\n`;
  const json = schema.toJson(inWords);
  const variants = json.oneOf as readonly Json[] | undefined;
  if (variants !== undefined) {
    return variants
      .map((variant) => {
        const { kind, ...rest } = variant.properties as Record<string, Json>;
        const members = objectMembers(rest, variant.required as readonly string[], '  ');
        return `- \`kind: ${(kind as Json).const}\`\n${members}`;
      })
      .join('');
  }
  if (json.properties === undefined) {
    return Array.isArray(json.type) ? '' : `${schema.description ?? wordsOf(json)}\n`;
  }
  return `\n\n${objectMembers(json.properties as Record<string, Json>, json.required as readonly string[], '')}`.replace(
    /^\n\n(?=$)/,
    '',
  );
}

function objectMembers(
  properties: Readonly<Record<string, Json>>,
  required: readonly string[],
  indent: string,
): string {
  return Object.entries(properties)
    .map(([name, json]) => {
      const mark = required.includes(name) ? '' : '?';
      const inner = json.anyOf === undefined ? json : ((json.anyOf as readonly Json[])[0] as Json);
      const description = (json.description ?? inner.description) as string | undefined;
      const line = `${indent}- \`${name}${mark}\`: ${wordsOf(inner)}${description === undefined ? '' : `; ${description}`}\n`;
      if (inner.properties === undefined) return line;
      const nested = inner.properties as Record<string, Json>;
      return line + objectMembers(nested, inner.required as readonly string[], `${indent}  `);
    })
    .join('');
}

function inWords(schema: Schema<unknown>): Json {
  return schema.name === undefined ? schema.toJson(inWords) : { $ref: schema.name };
}

function wordsOf(json: Json): string {
  if (typeof json.$ref === 'string') return `\`${json.$ref}\``;
  if (Array.isArray(json.enum)) return json.enum.map((word) => `\`${JSON.stringify(word)}\``).join(' or ');
  if (json.type === 'array') return `list of ${wordsOf(json.items as Json)}`;
  return typeof json.type === 'string' ? json.type : 'any';
}
