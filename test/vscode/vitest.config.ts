import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

export default defineConfig({
  ...base,
  test: {
    include: [process.env.HAWSER_PICTURES ? 'test/vscode/*.pictures.ts' : 'test/vscode/*.real.ts'],
    // Each file has a server and a browser.
    fileParallelism: false,
    testTimeout: 40_000,
    hookTimeout: 90_000,
    reporters: ['verbose'],
  },
});
