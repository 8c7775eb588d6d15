import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Without `import`: vitest hands these to Node, where CommonJS packages would get ES modules from `require`.
const sourceFirst = ['@hawser/source', 'node'];

export default defineConfig({
  resolve: { conditions: sourceFirst },
  ssr: { resolve: { conditions: sourceFirst } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'editors/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    dangerouslyIgnoreUnhandledErrors: false,
    // More than there are processors: most tests wait for programs that they have started.
    maxWorkers: 2 * availableParallelism() + 1,
    // For what hangs, not for what is slow: many tests start programs, on whatever machine this is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
