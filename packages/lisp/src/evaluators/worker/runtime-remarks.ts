/** Removes what SBCL writes about errors that the outcome already describes. */
export function withoutRuntimeRemarks(text: string): string {
  return text === '' ? text : text.replace(REMARKS, '');
}

const REMARKS = new RegExp(
  [
    /^INFO: (?:Control|Binding|Alien) stack guard page (?:unprotected|reprotected)\n?/,
    /^(?:Control|Binding|Alien) stack guard page temporarily disabled: proceed with caution\n?/,
    /^; \n; compilation unit aborted\n; {3}caught 1 fatal ERROR condition\n/,
    /^Heap exhausted during [\s\S]*?\n +\*STOP-FOR-GC-PENDING\* = \w+\n?(?:Collection trigger variables:\n(?: +\w+ = \d+\n?)*)?/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gm',
);
