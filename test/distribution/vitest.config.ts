import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

export default defineConfig({
  ...base,
  test: { include: ['test/distribution/*.real.ts'], testTimeout: 300_000 },
});
