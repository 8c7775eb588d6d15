import type { ElicitParams, ElicitResult } from '../protocol/types.ts';

/** Accepted content with the defaults of the form in place of what was left out. */
export function withDefaults(params: ElicitParams, result: ElicitResult): ElicitResult {
  if (result?.action !== 'accept' || !('requestedSchema' in params)) return result;
  const { properties } = (params.requestedSchema ?? {}) as { properties?: { [field: string]: unknown } };
  const content: NonNullable<ElicitResult['content']> = { ...result.content };
  for (const [field, property] of Object.entries(properties ?? {})) {
    const { default: preset } = (property ?? {}) as { default?: unknown };
    // The server's own form says what may stand there.
    if (preset !== undefined && !Object.hasOwn(content, field)) content[field] = preset as string;
  }
  return { ...result, content };
}
