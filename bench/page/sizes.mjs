import { buildPage } from '../../scripts/build-page.mjs';

/** Besides the editor, which is loaded when it is first used. */
const AT_MOST_KB = 120;

/** What browsers load of each page, compressed. */
export async function sizes() {
  const { '/editor.js': editor = 0, ...others } = (await buildPage('review')).gzip;
  const all = Object.values(others).reduce((sum, bytes) => sum + bytes, 0);
  const kB = (bytes) => bytes / 1000;
  return [
    { label: 'the page without its editor, gzip', value: kB(all), unit: 'kB', atMost: AT_MOST_KB },
    { label: 'of that before the first paint', value: kB(all - (others['/colours.js'] ?? 0)), unit: 'kB' },
    { label: 'its editor, gzip', value: kB(editor), unit: 'kB' },
  ];
}
