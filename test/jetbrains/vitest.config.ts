import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

export default defineConfig({
  ...base,
  test: { include: ['test/jetbrains/*.real.ts'], testTimeout: 120_000, hookTimeout: 60_000, fileParallelism: false },
});
