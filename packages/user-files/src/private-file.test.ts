import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../bridge/testing/temporary-folder.ts';
import { systemReason, writePrivateFile } from './private-file.ts';

it('a file that can not be written is named with the reason, and nothing is left of it', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'taken');
  mkdirSync(path);
  const reason = `Can't write ${path}: EISDIR: illegal operation on a directory`;
  expect(() => writePrivateFile(path, 'text')).toThrow(expect.objectContaining({ message: reason, code: 'EISDIR' }));
  expect(readdirSync(folder)).toEqual(['taken']);
});

it.each([
  ['ENOSPC: no space left on device, write', 'ENOSPC', 'ENOSPC: no space left on device'],
  ["ENOENT: no such file or directory, open '/a, b'", 'ENOENT', 'ENOENT: no such file or directory'],
  ['Not from the system, but ours', undefined, 'Not from the system, but ours'],
])('of "%s" the reason is what the system says, without the call', (message, code, reason) => {
  expect(systemReason(Object.assign(new Error(message), code !== undefined && { code }))).toBe(reason);
});
