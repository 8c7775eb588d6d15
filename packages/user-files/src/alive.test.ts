import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isAlive } from './alive.ts';

describe('isAlive', () => {
  it('is true of this process, and of the first one, which belongs to root', () => {
    expect(isAlive(process.pid)).toBe(true);
    expect(isAlive(1)).toBe(true);
  });

  it('is true of a process that we may not signal', () => {
    const { kill } = process;
    onTestFinished(() => {
      process.kill = kill;
    });
    process.kill = () => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    };
    expect(isAlive(2)).toBe(true);
  });

  it('is false of a process that was killed', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    const { pid = 0 } = child;
    expect(isAlive(pid)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive(pid)).toBe(false);
  });
});
