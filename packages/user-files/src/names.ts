// Names of files. They hold no secrets, so they do without node:crypto, which takes 3 ms to load at each start.

/** 32 hex digits that stand for a text. */
export function hashedName(text: string): string {
  return SEEDS.map((seed) => hash32(text, seed).toString(16).padStart(8, '0')).join('');
}

/** Hex digits that no other file is likely to have. */
export function randomName(digits: number): string {
  return Array.from({ length: digits }, () => Math.floor(Math.random() * 16).toString(16)).join('');
}

const SEEDS = [0x811c9dc5, 0x01000193, 0x9e3779b9, 0x85ebca6b];

/** FNV-1a, with the bits mixed once more at the end as in MurmurHash3. */
function hash32(text: string, seed: number): number {
  let hash = seed;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
