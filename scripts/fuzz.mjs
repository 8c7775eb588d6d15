// @ts-check
// `npm run fuzz`: bundles test/fuzz, which is TypeScript, and runs it. `npm run fuzz -- --help` lists the options.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './prepare.mjs';
import { runTypeScript } from './run-typescript.mjs';

const HAWSER_FUZZ_FOLDER = pathToFileURL(join(root, 'test', 'fuzz', '/')).href;
process.exitCode = await runTypeScript('test/fuzz/main.ts', { HAWSER_FUZZ_FOLDER });
