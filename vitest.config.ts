import { defineConfig } from 'vitest/config';

// Without `import`: vitest hands these to Node, where CommonJS packages would get ES modules from `require`.
const sourceFirst = ['@hawser/source', 'node'];

export default defineConfig({
  resolve: { conditions: sourceFirst },
  ssr: { resolve: { conditions: sourceFirst } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    dangerouslyIgnoreUnhandledErrors: false,
    // On every processor: most tests wait for programs that they have started.
    maxWorkers: '100%',
    // These programs share the processors, and now and then one is late. What fails twice is wrong; the report names retries.
    retry: process.env.CI === undefined ? 0 : 1,
    // For what hangs, not for what is slow: many tests start programs, on whatever machine this is.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
