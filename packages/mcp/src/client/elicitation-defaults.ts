import type { ElicitParams, ElicitResult } from '../protocol/types.ts';

type Content = NonNullable<ElicitResult['content']>;

/** Accepted content, with the defaults of the form for the fields that were left out. */
export function withFormDefaults(params: ElicitParams, result: ElicitResult): ElicitResult {
  if (result?.action !== 'accept' || !('requestedSchema' in params)) return result;
  const { properties } = params.requestedSchema as { properties?: { [field: string]: unknown } };
  const defaults: [string, Content[string]][] = [];
  for (const [field, property] of Object.entries(properties ?? {})) {
    const { default: preset } = (property ?? {}) as { default?: unknown };
    if (isFieldValue(preset)) defaults.push([field, preset]);
  }
  // Made from entries, because a field may be called __proto__.
  return { ...result, content: Object.fromEntries([...defaults, ...Object.entries(result.content ?? {})]) };
}

function isFieldValue(value: unknown): value is Content[string] {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
