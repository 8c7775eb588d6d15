/** A tool's result in text blocks. */
export function texts(...lines: string[]): { content: { type: 'text'; text: string }[] } {
  return { content: lines.map((text) => ({ type: 'text', text })) };
}

/** A tool's result whose text is JSON. */
export function json(value: unknown): { content: { type: 'text'; text: string }[] } {
  return texts(JSON.stringify(value));
}
