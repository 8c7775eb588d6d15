import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

const OPTIONS: Options = { strict: false, validateFormats: false, logger: false, addUsedSchema: false };

// Making one takes longer than all of the other checks.
let draft7: Ajv | undefined;
let draft2020: Ajv2020 | undefined;

/** What is wrong with a JSON Schema; undefined if nothing is, or if it names a dialect that is not known here. */
export function flawOfSchema(schema: object): string | undefined {
  const { $schema } = schema as { $schema?: unknown };
  const dialect = typeof $schema === 'string' ? $schema : '2020-12';
  if (!/2020-12|draft-07/.test(dialect)) return undefined;
  try {
    validatorFor(dialect).compile(schema);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function validatorFor(dialect: string): Ajv | Ajv2020 {
  if (dialect.includes('draft-07')) {
    draft7 ??= new Ajv(OPTIONS);
    return draft7;
  }
  draft2020 ??= new Ajv2020(OPTIONS);
  return draft2020;
}
