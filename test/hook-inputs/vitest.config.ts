import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

export default defineConfig({
  ...base,
  test: { include: ['test/hook-inputs/*.real.ts'], hookTimeout: 60_000, reporters: ['verbose'] },
});
