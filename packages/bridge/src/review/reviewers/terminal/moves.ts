import type { Key } from '../../../terminal/keys.ts';
import type { Page } from './page.ts';

const MOVES: ReadonlyMap<Key, (page: Page) => void> = new Map([
  ['j', (page) => page.byRows(1)],
  ['down', (page) => page.byRows(1)],
  ['k', (page) => page.byRows(-1)],
  ['up', (page) => page.byRows(-1)],
  [' ', (page) => page.byPages(1)],
  ['page down', (page) => page.byPages(1)],
  ['b', (page) => page.byPages(-1)],
  ['page up', (page) => page.byPages(-1)],
  ['g', (page) => page.toStart()],
  ['home', (page) => page.toStart()],
  ['G', (page) => page.toEnd()],
  ['end', (page) => page.toEnd()],
  ['tab', (page) => page.byHunks(1)],
  [']', (page) => page.byHunks(1)],
  ['shift tab', (page) => page.byHunks(-1)],
  ['[', (page) => page.byHunks(-1)],
] satisfies [Key, (page: Page) => void][]);

/** Moves the cursor. False if the key is for something else. */
export function move(page: Page, key: Key): boolean {
  const moved = MOVES.get(key);
  moved?.(page);
  return moved !== undefined;
}
