// @ts-check
// `npm run chaos`: bundles test/chaos, which is TypeScript, and runs it. `npm run chaos -- --help` lists the options.
import { root } from './prepare.mjs';
import { runTypeScript } from './run-typescript.mjs';

process.exitCode = await runTypeScript('test/chaos/main.ts', { HAWSER_ROOT: root });
