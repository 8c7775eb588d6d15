import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

export default defineConfig({
  ...base,
  test: {
    include: ['test/agents/*.real.ts'],
    hookTimeout: 60_000,
    reporters: ['verbose', './test/agents/table-reporter.ts'],
  },
});
