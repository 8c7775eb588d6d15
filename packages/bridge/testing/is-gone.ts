import { readFile } from 'node:fs/promises';

/** A process that was killed is a zombie until its parent asks how it ended, and its new parent may take a moment. */
export async function isGone(pid: number): Promise<boolean> {
  for (let look = 0; look < 1000; look += 1) {
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    if (state === undefined || / [ZX] /.test(state)) return true;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return false;
}
