import type { Command } from '@hawser/command-line/command';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { parseFlags } from '@hawser/command-line/parse-flags';
import { suggestion } from '@hawser/command-line/suggestion';
import { describe, expect, it } from 'vitest';
import { commands } from './commands.ts';
import type { Environment } from './environment.ts';

const command = (name: string): Command<Environment> => {
  const found = commands.find((known) => known.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};
const parse = (name: string, ...args: string[]) => parseFlags({ ...command(name), title: `hawser ${name}` }, args);
const problem = (name: string, ...args: string[]): string => {
  try {
    parse(name, ...args);
  } catch (error) {
    if (CommandFailed.is(error) && error.exitCode === ExitCode.usage) return error.message;
    throw error;
  }
  throw new Error('No problem');
};

describe('the arguments of a command', () => {
  it('become flags in camel case, with defaults', () => {
    expect(parse('serve', '-w', 'a b', '--port=0', '--log-file', '-', '--headless').flags).toMatchObject({
      workspace: 'a b',
      port: 0,
      logFile: '-',
      headless: true,
      review: 'ask',
      matcher: 'tsc',
      deny: [],
      executeTool: 'evaluate-lisp',
    });
    expect(parse('status').flags).toEqual({});
  });

  it('of a list are all taken, in either form; of any other option, the last', () => {
    expect(parse('serve', '--deny', 'a', 'b', '--deny=-c', '--headless').flags.deny).toEqual(['a', 'b', '-c']);
    expect(parse('serve', '--port', '1', '--port', '2').flags.port).toBe(2);
  });

  it('may be an argument, before or after the options', () => {
    expect(parse('mention', 'a.ts:1', '-w', '.')).toMatchObject({ argument: 'a.ts:1', flags: { workspace: '.' } });
    expect(parse('mention', '--', '-a.ts')).toMatchObject({ argument: '-a.ts' });
  });

  it('may be a list, with options between them', () => {
    const { argument, rest, flags } = parse(
      'call',
      'tool',
      'a=1',
      '--json',
      'b=-2',
      '--header',
      'A: b',
      'c=3',
      '--',
      '-d=4',
    );
    expect({ argument, rest }).toEqual({ argument: 'tool', rest: ['a=1', 'b=-2', 'c=3', '-d=4'] });
    expect(flags).toMatchObject({ json: true, header: ['A: b'] });
    expect(parse('record', '-o', 'f', '--', 'node', '-o', 'x')).toMatchObject({
      argument: 'node',
      rest: ['-o', 'x'],
      flags: { output: 'f' },
    });
  });

  it('ask for help wherever they say so', () => {
    expect(parse('mention', '--help').wantsHelp).toBe(true);
    expect(parse('serve', '--port', 'x', '-h').wantsHelp).toBe(true);
  });

  it.each([
    [['serve', '--hedless'], 'Unknown option --hedless. Did you mean --headless?'],
    [['serve', '-x'], 'Unknown option -x. hawser serve --help lists'],
    [['status', '--jsno'], 'Unknown option --jsno. Did you mean --json?'],
    [['serve', '--port'], '--port needs a value: --port <n>'],
    [['serve', '--port', '--headless'], '--port needs a value: --port <n>'],
    [['serve', '--port', '70000'], '--port 70000: A port is a number from 0 to 65535.'],
    [['serve', '--review', 'acept'], '--review acept: choose one of ask, accept, reject. Did you mean accept?'],
    [['serve', '--headless=yes'], '--headless takes no value.'],
    [['serve', 'folder'], 'hawser serve takes no argument folder.'],
    [['call'], 'hawser call needs <tool>.'],
    [['completion'], 'hawser completion needs <shell>: bash, zsh, fish.'],
    [['tools', '--timeout', 'x'], '--timeout x: A timeout is a number of seconds, such as 10 or 0.5.'],
    [['mention'], 'hawser mention needs <file[:lines]>.'],
    [['mention', 'a', 'b'], 'hawser mention takes one argument, not 2.'],
  ])('that are wrong are explained: %j', ([name = '', ...args], message) => {
    expect(problem(name, ...args)).toContain(message);
  });
});

describe('a suggestion', () => {
  it.each([
    ['reveiw', 'review'],
    ['stauts', 'status'],
    ['sevre', 'serve'],
    ['stp', 'stop'],
    ['menton', 'mention'],
  ])('for %s is %s', (given, meant) => {
    expect(
      suggestion(
        given,
        commands.map(({ name }) => name),
      ),
    ).toBe(` Did you mean ${meant}?`);
  });

  it('is made only for what is close', () => {
    expect(
      suggestion(
        'publish',
        commands.map(({ name }) => name),
      ),
    ).toBe('');
  });
});
