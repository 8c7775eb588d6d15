import { isList, isObject, type Members, memberAt, objectOrEmpty } from '@hawser/unknown-values/objects';
import type { Check } from '../check.ts';
import { shown } from '../in-words.ts';
import { duplicatesIn, expectThat, isOneOf } from './expectations.ts';
import { eachItem } from './lists.ts';
import { requiredIn } from './tool-calls.ts';

const TOOL = '2025-11-25 Tools §Tool';
const HEADER = '2026-07-28 Tools §x-mcp-header';
const FIELD_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** Every schema inside a schema, with where it is. `isReachable` is false below anything but `properties`. */
function* schemasIn(
  schema: unknown,
  isReachable = true,
): Generator<{ readonly schema: Members; readonly isReachable: boolean }> {
  if (!isObject(schema)) {
    if (isList(schema)) for (const each of schema) yield* schemasIn(each, false);
    return;
  }
  yield { schema, isReachable };
  for (const [key, value] of Object.entries(schema)) {
    // These hold data, not schemas.
    if (['const', 'enum', 'default', 'examples'].includes(key)) continue;
    if (key === 'properties' && isObject(value)) {
      for (const each of Object.values(value)) yield* schemasIn(each, isReachable);
    } else if (typeof value === 'object') yield* schemasIn(value, false);
  }
}

function headerFlaw(inputSchema: unknown): string | undefined {
  const annotated = [...schemasIn(inputSchema)].filter(({ schema }) => schema['x-mcp-header'] !== undefined);
  const names = annotated.map(({ schema }) => String(schema['x-mcp-header']).toLowerCase());
  const [twice] = duplicatesIn(names);
  if (twice !== undefined) return `the header ${shown(twice)} twice`;
  for (const { schema, isReachable } of annotated) {
    const name = schema['x-mcp-header'];
    if (typeof name !== 'string' || !FIELD_NAME.test(name)) return `the header name ${shown(name)}`;
    if (!isOneOf(['string', 'integer', 'boolean'], schema.type)) return `${name} on the type ${shown(schema.type)}`;
    if (!isReachable) return `${name} on a parameter that is not reached by properties alone`;
  }
  return undefined;
}

export const toolSchemaChecks: readonly Check[] = [
  eachItem({
    list: 'tools',
    id: 'tool-output-schema-type',
    title: 'An outputSchema has the type object',
    severity: 'error',
    spec: '2025-11-25 Schema Reference §Tool',
    needs: ['sessions', 'tools'],
    expected: 'no outputSchema, or one with "type": "object"',
    isRight: ({ outputSchema }) =>
      outputSchema === undefined || (isObject(outputSchema) && outputSchema.type === 'object'),
  }),
  eachItem({
    list: 'tools',
    id: 'tool-execution',
    title: 'The taskSupport of a tool is forbidden, optional or required',
    severity: 'error',
    spec: '2025-11-25 Tasks §Tool-Level Negotiation',
    expected: 'no "execution", or an object with a "taskSupport" of forbidden, optional or required',
    isRight: ({ execution }) =>
      execution === undefined ||
      (isObject(execution) && isOneOf([undefined, 'forbidden', 'optional', 'required'], execution.taskSupport)),
  }),
  eachItem({
    list: 'tools',
    id: 'tool-required-described',
    title: 'Each required argument is described in the properties of the schema',
    severity: 'info',
    spec: TOOL,
    expected: 'a property for each required argument',
    isRight: ({ inputSchema }) => {
      const { properties = {} } = objectOrEmpty(inputSchema);
      return !isObject(properties) || requiredIn(inputSchema).every((name) => Object.hasOwn(properties, String(name)));
    },
  }),
  eachItem({
    list: 'tools',
    id: 'tool-schema-references',
    title: 'Schemas of tools refer to nothing outside of themselves',
    severity: 'warning',
    spec: '2026-07-28 Base Protocol §$ref Resolution',
    expected: '"$ref" that begins with #, because clients fetch no schemas',
    isRight: ({ inputSchema, outputSchema }) =>
      [...schemasIn(inputSchema), ...schemasIn(outputSchema)].every(
        ({ schema: { $ref } }) => typeof $ref !== 'string' || !/^[a-z][a-z0-9+.-]*:/i.test($ref),
      ),
  }),
  eachItem({
    list: 'tools',
    id: 'tool-schema-dialect',
    title: 'Schemas of tools are of a dialect that clients know',
    severity: 'info',
    spec: '2025-11-25 Base Protocol §Schema Dialect',
    expected: 'no "$schema", or that of JSON Schema 2020-12 or draft-07',
    isRight: ({ inputSchema, outputSchema }) =>
      [inputSchema, outputSchema]
        .map((schema) => memberAt(schema, '$schema'))
        .every((dialect) => dialect === undefined || /2020-12|draft-07/.test(String(dialect))),
  }),
  eachItem({
    list: 'tools',
    id: 'tool-hints-contradict',
    title: 'No tool is both read-only and destructive',
    severity: 'info',
    spec: '2025-11-25 Schema Reference §ToolAnnotations',
    expected: 'destructiveHint only on tools that change something',
    isRight: ({ annotations }) =>
      !(memberAt(annotations, 'readOnlyHint') === true && memberAt(annotations, 'destructiveHint') === true),
  }),
  {
    id: 'tool-names-case',
    title: 'No two names of tools differ in case alone',
    severity: 'info',
    spec: '2025-11-25 Tools §Tool Names',
    needs: ['tools'],
    run: async (subject) => {
      const names = new Set((await subject.list('tools')).map(({ name }) => String(name)));
      const [same] = duplicatesIn([...names].map((name) => name.toLowerCase()));
      return expectThat(same === undefined, () => `two tools ${shown(same)}`, 'names that differ');
    },
  },
  {
    id: 'tool-header-parameters',
    title: 'x-mcp-header names a unique header, for a simple parameter that properties alone lead to',
    severity: 'error',
    spec: HEADER,
    needs: ['stateless', 'tools'],
    run: async (subject) => {
      for (const { name, inputSchema } of await subject.list('tools')) {
        const flaw = headerFlaw(inputSchema);
        if (flaw !== undefined) return { seen: `${name}: ${flaw}`, expected: 'annotations that clients do not reject' };
      }
      return undefined;
    },
  },
];
