import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openLog } from './open-log.ts';

const NASTY = 'agent\x1b[2J\x9b31m\u202e\ttab';

function logged(options: { json: boolean; level?: 'info' | 'error' }): string[] {
  const lines: string[] = [];
  const log = openLog({ file: undefined, stderr: (line) => lines.push(line), ...options });
  log.info('client', { name: NASTY, version: undefined });
  log.error('folder', { message: 'bad' });
  return lines.map((line) => line.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, 'TIME'));
}

describe('the log', () => {
  it('in words, holds nothing that a terminal would obey', () => {
    expect(logged({ json: false })).toEqual([
      'TIME info client name=agent^[[2J<9B>31m<202E>       tab',
      'TIME error folder message=bad',
    ]);
  });

  it('as JSON, neither, and it says exactly what was said', () => {
    const [line = ''] = logged({ json: true });
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(JSON.parse(line)).toEqual({ time: 'TIME', level: 'info', event: 'client', name: NASTY });
  });

  it('can be limited to errors', () => {
    expect(logged({ json: false, level: 'error' })).toEqual(['TIME error folder message=bad']);
  });

  it('loses what can not be written to its file, says so once, and goes on when it can', () => {
    const folder = join(temporaryFolder(), 'logs');
    mkdirSync(folder);
    const file = join(folder, 'hawser.log');
    const said: string[] = [];
    const log = openLog({ file, json: false, stderr: (line) => said.push(line) });
    rmSync(folder, { recursive: true });
    log.info('lost');
    log.error('lost, too');
    expect(said).toEqual([`hawser: The log file can't be written: ENOENT: no such file or directory: ${file}`]);
    mkdirSync(folder);
    log.info('written');
    expect(readFileSync(file, 'utf8')).toMatch(/^\S+ info written\n$/);
  });

  it('refuses a file that can not be written from the start', () => {
    const folder = temporaryFolder();
    const open = () => openLog({ file: folder, json: false, stderr: () => {} });
    expect(open).toThrow(`The log file can't be written: EISDIR: illegal operation on a directory: ${folder}`);
  });
});
