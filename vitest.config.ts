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
    // For what hangs, not for what is slow: many tests start programs, on whatever machine this is.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
