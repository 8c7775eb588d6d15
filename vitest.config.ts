import { defineConfig } from 'vitest/config';

const sourceFirst = ['@hawser/source', 'node', 'import', 'default'];

export default defineConfig({
  resolve: { conditions: sourceFirst },
  ssr: { resolve: { conditions: sourceFirst } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    dangerouslyIgnoreUnhandledErrors: false,
    // For what hangs, not for what is slow: many tests start programs, on whatever machine this is.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
