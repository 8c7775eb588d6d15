import { defineConfig } from 'vitest/config';

const sourceFirst = ['@hawser/source', 'node', 'import', 'default'];

export default defineConfig({
  resolve: { conditions: sourceFirst },
  ssr: { resolve: { conditions: sourceFirst } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
