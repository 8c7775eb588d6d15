// @ts-check
// The suite imports `globSync` from `fs`, which Node has from version 22 on, for a command that is not used here.
// On an older Node this module hook gives it one that fails when called; nothing else in the suite needs Node 22.

const withGlob = `data:text/javascript,${encodeURIComponent(`
  export * from 'node:fs';
  export function globSync() {
    throw new Error('fs.globSync needs Node 22');
  }
`)}`;

/**
 * @param {string} specifier
 * @param {{ parentURL?: string }} context
 * @param {(specifier: string, context: object) => Promise<{ url: string }>} next
 */
export async function resolve(specifier, context, next) {
  const fromSuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/');
  return specifier === 'fs' && fromSuite ? { url: withGlob, shortCircuit: true } : next(specifier, context);
}
