import { expect, it } from 'vitest';
import { buildPage } from '../scripts/build-page.mjs';

it('browsers load less than 120 kB of the review page, compressed, besides the editor', async () => {
  const { '/editor.js': editor = 0, ...files } = (await buildPage('review')).gzip;
  expect(editor).toBeGreaterThan(0);
  expect(Object.values(files).reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(120_000);
});
