import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

const OPTIONS: Options = { strict: false, validateFormats: false, logger: false, addUsedSchema: false };

/** What is wrong with a JSON Schema; undefined if nothing is, or if it names a dialect that is not known here. */
export function flawOfSchema(schema: object): string | undefined {
  const { $schema } = schema as { $schema?: unknown };
  const dialect = typeof $schema === 'string' ? $schema : '2020-12';
  if (!/2020-12|draft-07/.test(dialect)) return undefined;
  try {
    const validator = dialect.includes('draft-07') ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
    validator.compile(schema);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
