export type Members = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. Arrays are not. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is an object, otherwise an empty one. */
export function objectOrEmpty(value: unknown): Members {
  return isObject(value) ? value : {};
}

/** Whether a value is an array. Unlike `Array.isArray` it says nothing about the items. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The value if it is an array, otherwise an empty one. */
export function listOrEmpty(value: unknown): readonly unknown[] {
  return isList(value) ? value : [];
}

/** The member that the names lead to; undefined if one of them is missing, or not in an object. */
export function memberAt(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((place, name) => (isObject(place) ? place[name] : undefined), value);
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
