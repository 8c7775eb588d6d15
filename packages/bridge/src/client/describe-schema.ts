type Schema = Readonly<Record<string, unknown>>;

export interface SchemaProperty {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** The arguments that a schema of a tool describes, required ones first. */
export function propertiesOf(schema: unknown): SchemaProperty[] {
  const { properties, required } = membersOf(schema);
  const names = Array.isArray(required) ? required : [];
  const all = Object.entries(membersOf(properties)).map(([name, property]) => ({
    name,
    schema: membersOf(property),
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
  return [...new Set(choices.flatMap((choice) => typesOf(membersOf(choice))))];
}

/** For messages and help: `string`, `"a" | "b"`, `number[]`. */
export function typeInWords(schema: Schema): string {
  const { enum: values, items } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  const types = typesOf(schema);
  if (types.length === 0) return 'any value';
  return types.map((type) => (type === 'array' ? arrayInWords(membersOf(items)) : type)).join(' | ');
}

function arrayInWords(items: Schema): string {
  const types = typesOf(items);
  return types.length === 1 ? `${types[0]}[]` : 'array';
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function membersOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}
