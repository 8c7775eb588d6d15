import { objectOrEmpty } from '@hawser/unknown-values/objects';

type Schema = Readonly<Record<string, unknown>>;

export interface SchemaProperty {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** The arguments that a schema of a tool describes, required ones first. */
export function propertiesOf(schema: unknown): SchemaProperty[] {
  const { properties, required } = objectOrEmpty(schema);
  const names = Array.isArray(required) ? required : [];
  const all = Object.entries(objectOrEmpty(properties)).map(([name, property]) => ({
    name,
    schema: objectOrEmpty(property),
    isRequired: names.includes(name),
  }));
  return [...all.filter(({ isRequired }) => isRequired), ...all.filter(({ isRequired }) => !isRequired)];
}

/** As in a usage line: `path tail? head?`. */
export function signatureOf(schema: unknown): string {
  return propertiesOf(schema)
    .map(({ name, isRequired }) => (isRequired ? name : `${name}?`))
    .join(' ');
}

/** The types that a schema allows at its top, as JSON Schema names them. Empty if it does not say. */
export function typesOf(schema: Schema): string[] {
  const { type, enum: values, const: only, anyOf, oneOf } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((each) => typeof each === 'string');
  if (Array.isArray(values)) return [...new Set(values.map(typeOfValue))];
  if (only !== undefined) return [typeOfValue(only)];
  const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  return [...new Set(choices.flatMap((choice) => typesOf(objectOrEmpty(choice))))];
}

/** The values that a schema lists: with `enum`, or as constants, which can have titles. Undefined if it lists none. */
export function choicesOf({ enum: values, oneOf, anyOf }: Schema): readonly unknown[] | undefined {
  if (Array.isArray(values)) return values;
  const constants = Array.isArray(oneOf) ? oneOf : anyOf;
  if (!Array.isArray(constants) || !constants.every((each) => Object.hasOwn(objectOrEmpty(each), 'const')))
    return undefined;
  return constants.map((each) => objectOrEmpty(each).const);
}

/** The values that a schema, or that of its items, lists with titles. */
export function titledChoices(schema: Schema): readonly (readonly [value: unknown, title: string])[] {
  const { enum: values, enumNames, oneOf, anyOf, items } = schema;
  const titles: unknown[] = Array.isArray(enumNames)
    ? enumNames
    : [oneOf, anyOf].flatMap((each) => (Array.isArray(each) ? each : [])).map((each) => objectOrEmpty(each).title);
  const all = (Array.isArray(values) ? values : (choicesOf(schema) ?? [])).flatMap((value, index) => {
    const title = titles[index];
    return typeof title === 'string' ? [[value, title] as const] : [];
  });
  return all.length === 0 && items !== undefined ? titledChoices(objectOrEmpty(items)) : all;
}

/** For messages and help: `string`, `"a" | "b"`, `number[]`. */
export function typeInWords(schema: Schema): string {
  const choices = choicesOf(schema);
  if (choices !== undefined) return choices.map((value) => JSON.stringify(value)).join(' | ');
  const { items } = schema;
  const types = typesOf(schema);
  if (types.length === 0) return 'any value';
  return types.map((type) => (type === 'array' ? arrayInWords(objectOrEmpty(items)) : type)).join(' | ');
}

function arrayInWords(items: Schema): string {
  if (choicesOf(items) !== undefined) return `(${typeInWords(items)})[]`;
  const types = typesOf(items);
  return types.length === 1 ? `${types[0]}[]` : 'array';
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
