import { describe, expect, it } from 'vitest';
import { temporaryLink } from '../../../testing/temporary-folder.ts';
import { geminiLock, geminiLockFolder, readGeminiLock } from './lock.ts';

const { nameFor, contentFor } = geminiLock({ lockFolder: '/tmp/gemini/ide', ideName: 'Neovim (work)' }, 4711);
const lock = { port: 40123, token: 'secret', folders: ['/', '/not/there'] };
const found = { port: 40123, pid: 4711, token: 'secret', folders: ['/', '/not/there'] };

describe("Gemini CLI's lock", () => {
  it('is in the folder for temporary files, with process and port in its name', () => {
    expect(geminiLockFolder('/tmp')).toBe('/tmp/gemini/ide');
    expect(nameFor(lock)).toBe('gemini-ide-server-4711-40123.json');
  });

  it('holds exactly the fields that Gemini CLI reads, real folders joined with a colon', () => {
    const { real, path } = temporaryLink();
    expect(contentFor({ ...lock, folders: [path, '/not/there'] })).toBe(
      `{"port":40123,"workspacePath":"${real}:/not/there","authToken":"secret",` +
        '"ideInfo":{"name":"neovim-work","displayName":"Neovim (work)"}}',
    );
  });

  it('is read back as it was written', () => {
    expect(readGeminiLock(nameFor(lock), contentFor(lock))).toEqual(found);
  });

  it.each([
    ['gemini-ide-server-4711.json', '{}', undefined],
    ['gemini-ide-server-4711-99999.json', '{}', undefined],
    ['gemini-ide-server-4711-40123.json', 'no', 'It holds no JSON object'],
  ])('%s with %s is not ours to judge', (name, text, reason) => {
    expect(readGeminiLock(name, text)).toEqual(reason && new Error(reason));
  });
});
