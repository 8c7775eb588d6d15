import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

const OPTIONS: Options = { strict: false, validateFormats: false, logger: false, addUsedSchema: false };

// Making one takes longer than all of the other checks.
let draft7: Ajv | undefined;
let draft2020: Ajv2020 | undefined;

/** What is wrong with a JSON Schema; undefined if nothing is, or if it names a dialect that is not known here. */
export function flawOfSchema(schema: object): string | undefined {
  const dialect = dialectOf(schema);
  if (!isKnown(dialect)) return undefined;
  try {
    validatorFor(dialect).compile(schema);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Why a schema does not allow a value; undefined if it does, or if the schema can't be used. */
export function flawOfValue(schema: object, value: unknown): string | undefined {
  const dialect = dialectOf(schema);
  if (!isKnown(dialect) || flawOfSchema(schema) !== undefined) return undefined;
  const validator = validatorFor(dialect);
  const isRight = validator.compile(schema);
  return isRight(value) ? undefined : validator.errorsText(isRight.errors, { dataVar: 'structuredContent' });
}

function validatorFor(dialect: string): Ajv | Ajv2020 {
  if (dialect.includes('draft-07')) {
    draft7 ??= new Ajv(OPTIONS);
    return draft7;
  }
  draft2020 ??= new Ajv2020(OPTIONS);
  return draft2020;
}

function dialectOf(schema: object): string {
  const { $schema } = schema as { $schema?: unknown };
  return typeof $schema === 'string' ? $schema : '2020-12';
}

function isKnown(dialect: string): boolean {
  return /2020-12|draft-07/.test(dialect);
}
