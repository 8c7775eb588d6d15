import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

export default defineConfig({ ...base, test: { include: ['test/screens/*.pictures.ts'], testTimeout: 120_000 } });
