import { describe, expect, it } from 'vitest';
import { openLog } from './log.ts';

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
});
