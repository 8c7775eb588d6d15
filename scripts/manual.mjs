// @ts-check
import { loadSource } from './load-source.mjs';

/**
 * What describes the `hawser` command, from its source.
 * @returns {Promise<typeof import('../packages/bridge/src/command-line/manual.ts')>}
 */
export const loadManual = () => loadSource('packages/bridge/src/command-line/manual.ts');
