import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startChild } from '../testing/child.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { isTemporaryFile, TemporaryFiles } from './temporary-files.ts';

function folders() {
  const home = temporaryFolder();
  const [folder, stateFolder] = [join(home, 'work'), join(home, 'state')];
  mkdirSync(folder);
  const records = () => (existsSync(stateFolder) ? readdirSync(join(stateFolder, 'temporary')) : []);
  return { home, folder, stateFolder, records };
}

/** Makes a temporary file in another process, prints its path, and waits to be killed. */
function program(folder: string, stateFolder: string, then = ''): string {
  return `
    import { writeFileSync } from 'node:fs';
    import { TemporaryFiles } from '../temporary-files.ts';
    await new TemporaryFiles(${JSON.stringify(stateFolder)}).with(${JSON.stringify(join(folder, 'a.ts'))}, '.tmp',
      async (file) => {
        writeFileSync(file.path, 'text');
        ${then}
        console.log(file.path);
        await new Promise(() => setInterval(() => {}, 1000));
      });
  `;
}

describe('a temporary file', () => {
  it('is beside the file it is for, hidden, and gone afterwards with its record', async () => {
    const { folder, stateFolder, records } = folders();
    const files = new TemporaryFiles(stateFolder);
    const given = await files.with(join(folder, 'a.ts'), '.tmp', async ({ path }) => {
      writeFileSync(path, 'text');
      expect(records()).toHaveLength(1);
      return path;
    });
    expect(given).toMatch(new RegExp(`^${folder}/\\.hawser-[0-9a-f]{12}\\.tmp$`));
    expect(isTemporaryFile(given)).toBe(true);
    await expect(files.with(given, '.tmp', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect([readdirSync(folder), records()]).toEqual([[], []]);
  });

  it('of a process that was killed is removed by the next start; one in use stays', async () => {
    const { home, folder, stateFolder, records } = folders();
    const [killed, living] = [
      await startChild(program(folder, stateFolder), { folder: home }),
      await startChild(program(folder, stateFolder), { folder: home }),
    ];
    const [left, used] = [await killed.line(), await living.line()];
    await killed.end('SIGKILL');
    expect(existsSync(left)).toBe(true);
    expect(await new TemporaryFiles(stateFolder).clear()).toEqual([]);
    expect([existsSync(left), existsSync(used), records().length]).toEqual([false, true, 1]);
  });

  it('that holds the only whole text of another is kept after a crash, and reported once', async () => {
    const { home, folder, stateFolder } = folders();
    const target = join(folder, 'a.ts');
    const keep = `await file.keepFor(${JSON.stringify(target)});`;
    const child = await startChild(program(folder, stateFolder, keep), { folder: home });
    const path = await child.line();
    await child.end('SIGKILL');
    const files = new TemporaryFiles(stateFolder);
    expect(await files.clear()).toEqual([{ path, keptFor: target }]);
    expect(readFileSync(path, 'utf8')).toBe('text');
    expect(await files.clear()).toEqual([]);
  });

  it("is the only kind of file that a record removes: a forged one costs no user's file", async () => {
    const { home, folder, stateFolder, records } = folders();
    const child = await startChild(program(folder, stateFolder), { folder: home });
    await child.line();
    await child.end('SIGKILL');
    const mine = join(folder, 'mine.ts');
    writeFileSync(mine, 'text');
    for (const name of records()) writeFileSync(join(stateFolder, 'temporary', name), JSON.stringify({ path: mine }));
    await new TemporaryFiles(stateFolder).clear();
    expect([existsSync(mine), records()]).toEqual([true, []]);
  });
});
