import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

export default defineConfig({
  ...base,
  test: {
    include: [process.env.HAWSER_PICTURES ? 'test/vscode/*.pictures.ts' : 'test/vscode/*.real.ts'],
    // Each file has a server and a browser.
    fileParallelism: false,
    // Each wait has an end of its own, which names what did not come.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    reporters: ['verbose'],
  },
});
