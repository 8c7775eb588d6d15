import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { schemaJson } from '../testing/generate.ts';

interface Recorded {
  readonly from: 'editor' | 'bridge';
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

const protocol = JSON.parse(schemaJson());
const RECORDINGS = new URL('../recordings/', import.meta.url);
const OTHER = { editor: 'bridge', bridge: 'editor' } as const;
const ajv = new Ajv2020({ strict: false });
const validators = new Map<object, ValidateFunction>();

it.for(readdirSync(RECORDINGS))('every message of %s matches the published schema', (name) => {
  const [, ...lines] = readFileSync(new URL(name, RECORDINGS), 'utf8').trimEnd().split('\n');
  const messages: Recorded[] = lines.map((line) => JSON.parse(line));
  const requests = messages.filter(({ method }) => method !== undefined);
  const methods = new Map(requests.map(({ from, id, method }) => [`${from} ${id}`, method]));
  expect(messages.length).toBeGreaterThan(30);
  for (const { from, id, method, params, result } of messages) {
    if (method !== undefined) check(method, 'params', params ?? {});
    else check(methods.get(`${OTHER[from]} ${id}`) ?? '', 'result', result);
  }
});

function check(method: string, part: 'params' | 'result', value: unknown): void {
  const all: Record<string, { readonly params?: object; readonly result?: object }> = protocol.messages;
  const schema = all[method]?.[part];
  if (schema === undefined) throw new Error(`There is no ${part} of ${method}`);
  const validate = validators.get(schema) ?? ajv.compile({ ...schema, $defs: protocol.$defs });
  validators.set(schema, validate);
  expect(validate(value) ? '' : `${method} ${part}: ${ajv.errorsText(validate.errors)}`).toBe('');
}
