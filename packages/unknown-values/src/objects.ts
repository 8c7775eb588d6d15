export type Members = Readonly<Record<string, unknown>>;

/** Whether a value is what JSON calls an object: an array is none. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is an object, otherwise an empty one. */
export function objectOrEmpty(value: unknown): Members {
  return isObject(value) ? value : {};
}

/** The object that a text is in JSON; undefined if it is anything else. */
export function parseObject(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
