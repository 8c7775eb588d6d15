import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { splitCommand } from './split-command.ts';

it.each([
  'node server.js --port 1',
  '  spaces   and\ttabs ',
  `'single "quotes"' "double 'quotes'" a'b'"c"`,
  String.raw`back\ slash "in \"double\" \\ quotes \n" 'in \single'`,
  `'' "" a''`,
])('a command line is split as a shell splits it: %s', (line) => {
  // One word per NUL, because words can have line ends.
  const words = execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
  expect(splitCommand(line)).toEqual(words);
});

it('nothing but quotes and backslashes is special', () => {
  expect(splitCommand('a $HOME *.ts | b > c; d &')).toEqual(['a', '$HOME', '*.ts', '|', 'b', '>', 'c;', 'd', '&']);
});

it.each([`a 'b`, `a "b`, String.raw`a "b\"`])('an open quote is named: %s', (line) => {
  expect(() => splitCommand(line)).toThrow('The quote at position 3 of this command is never closed');
});

it('a backslash at the end is refused', () => {
  expect(() => splitCommand('a \\')).toThrow('A backslash ends this command');
});
