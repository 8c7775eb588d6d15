import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

type Dialect = '2020-12' | 'draft-07';
type Validator = Ajv | Ajv2020;

const OPTIONS: Options = { strict: false, validateFormats: false, logger: false, addUsedSchema: false };

/** What is wrong with schemas of a server. All checks share one: to make a validator takes longer than all of them. */
export class Schemas {
  readonly #validators = new Map<string, Validator>();

  /**
   * What is wrong with a JSON Schema; undefined if nothing is, or if it can't be told here: it names another dialect, or
   * refers to another document.
   */
  flawOf(schema: object, revision: string): string | undefined {
    const flaws = dialectsOf(schema, revision).map((dialect) => {
      const compiled = this.#compile(schema, dialect);
      return compiled instanceof Error ? compiled.message : undefined;
    });
    return flaws.includes(undefined) ? undefined : flaws[0];
  }

  /** Why a schema does not allow a value; undefined if it does, or if the schema can't be used. */
  flawOfValue(schema: object, value: unknown, revision: string): string | undefined {
    const flaws = dialectsOf(schema, revision).map((dialect) => {
      const isRight = this.#compile(schema, dialect);
      if (isRight === undefined || isRight instanceof Error || isRight(value)) return undefined;
      return this.#validatorFor(dialect, 'unicode').errorsText(isRight.errors, { dataVar: 'structuredContent' });
    });
    return flaws.includes(undefined) ? undefined : flaws[0];
  }

  /** Undefined if the schema refers to another document. */
  #compile(schema: object, dialect: Dialect): ReturnType<Validator['compile']> | Error | undefined {
    try {
      return this.#validatorFor(dialect, 'unicode').compile(schema);
    } catch (error) {
      if (isForeign((error as { missingRef?: unknown }).missingRef, schema)) return undefined;
      if (!(error instanceof SyntaxError)) return error as Error;
    }
    try {
      // Patterns are valid without the flag "u", too.
      return this.#validatorFor(dialect, 'any').compile(schema);
    } catch (error) {
      return error as Error;
    }
  }

  #validatorFor(dialect: Dialect, patterns: 'unicode' | 'any'): Validator {
    const key = `${dialect} ${patterns}`;
    const known = this.#validators.get(key);
    if (known !== undefined) return known;
    const made = new (dialect === 'draft-07' ? Ajv : Ajv2020)({ ...OPTIONS, unicodeRegExp: patterns === 'unicode' });
    this.#validators.set(key, made);
    return made;
  }
}

/** Empty for a dialect that is not known here. Before 2025-11-25 no revision names the default. */
function dialectsOf(schema: object, revision: string): readonly Dialect[] {
  const { $schema } = schema as { $schema?: unknown };
  if (typeof $schema !== 'string') return revision < '2025-11-25' ? ['2020-12', 'draft-07'] : ['2020-12'];
  if ($schema.includes('2020-12')) return ['2020-12'];
  return $schema.includes('draft-07') ? ['draft-07'] : [];
}

function isForeign(reference: unknown, schema: object): boolean {
  const { $id } = schema as { $id?: unknown };
  if (typeof reference !== 'string' || !/^[a-z][a-z0-9+.-]*:/i.test(reference)) return false;
  return typeof $id !== 'string' || !reference.startsWith($id);
}
