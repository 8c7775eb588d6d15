import { describe, expect, it } from 'vitest';
import { checkMatcher, type ProblemMatcher, problemsIn } from './problem-matchers.ts';

const inStdout = (stdout: string, matcher: ProblemMatcher) => problemsIn({ stdout, stderr: '' }, matcher, '/project');
const at = (line: number, character: number) => ({ line, character });
const point = (line: number, character: number) => ({ start: at(line, character), end: at(line, character) });

describe('problemsIn', () => {
  it('reads tsc, plain and pretty, with the lines that go on', () => {
    const plain =
      "src/a.ts(3,5): error TS2322: Type 'A' is no 'B'.\n  Types of 'x' differ.\nsrc/b (1).ts(1,1): error TS1005: ';' expected.\n";
    const pretty =
      '\x1b[96msrc/a.ts\x1b[0m:\x1b[93m3\x1b[0m:\x1b[93m5\x1b[0m - \x1b[91merror\x1b[0m\x1b[90m TS2322: \x1b[0mNo.\n\n3   const x\n    ~\n\nFound 1 error.\n';
    expect(inStdout(plain, 'tsc')).toEqual([
      {
        path: '/project/src/a.ts',
        diagnostics: [
          {
            message: "Type 'A' is no 'B'.\n  Types of 'x' differ.",
            severity: 'error',
            range: point(2, 4),
            source: 'ts',
            code: 2322,
          },
        ],
      },
      {
        path: '/project/src/b (1).ts',
        diagnostics: [{ message: "';' expected.", severity: 'error', range: point(0, 0), source: 'ts', code: 1005 }],
      },
    ]);
    expect(inStdout(pretty, 'tsc')).toMatchObject([
      { path: '/project/src/a.ts', diagnostics: [{ message: 'No.', range: point(2, 4) }] },
    ]);
  });

  it('reads the JSON of eslint, whatever stands before it, without warnings of ignored files', () => {
    const messages = [
      { ruleId: 'no-undef', severity: 2, message: 'No x', line: 2, column: 3, endLine: 2, endColumn: 4 },
      { ruleId: null, severity: 2, message: 'Parsing error' },
      { ruleId: null, severity: 1, message: 'File ignored because no matching configuration was supplied.' },
    ];
    const files = [
      { filePath: '/project/a.js', messages },
      { filePath: '/project/b.js', messages: [] },
      null,
      { messages },
    ];
    expect(inStdout(`> eslint\n${JSON.stringify(files)}\n`, 'eslint-json')).toEqual([
      {
        path: '/project/a.js',
        diagnostics: [
          {
            message: 'No x',
            severity: 'error',
            range: { start: at(1, 2), end: at(1, 3) },
            source: 'eslint',
            code: 'no-undef',
          },
          { message: 'Parsing error', severity: 'error', range: point(0, 0), source: 'eslint' },
        ],
      },
    ]);
    expect(inStdout('', 'eslint-json')).toEqual([]);
    expect(() => inStdout('[{', 'eslint-json')).toThrow(SyntaxError);
  });

  it('reads what gcc and those like it say, also on stderr', () => {
    const stderr = [
      'In file included from a.c:1:',
      'a.c:3:5: warning: unused x [-Wunused-variable]',
      '    3 |   int x;',
      '/abs/b.c:7: fatal error: no such file',
      'C:\\src\\c.c:1:2: note: declared here',
    ].join('\r\n');
    const found = problemsIn({ stdout: '', stderr }, 'gcc', '/project');
    expect(found.map(({ path }) => path)).toEqual(['/project/a.c', '/abs/b.c', '/project/C:\\src\\c.c']);
    expect(found.flatMap(({ diagnostics }) => diagnostics)).toEqual([
      { message: 'unused x', severity: 'warning', range: point(2, 4), code: '-Wunused-variable' },
      { message: 'no such file', severity: 'error', range: point(6, 0) },
      { message: 'declared here', severity: 'info', range: point(0, 1) },
    ]);
  });

  it('reads what a pattern of the user matches, on every line', () => {
    const matcher = {
      pattern: /^(?<line>\d+) (?<file>\S+) (?<message>.*)$/g,
      severity: 'hint',
      source: 'mine',
    } as const;
    expect(inStdout('1 a one\n2 a two\n3 a three\n', matcher)).toMatchObject([
      {
        path: '/project/a',
        diagnostics: ['one', 'two', 'three'].map((message) => ({ message, severity: 'hint', source: 'mine' })),
      },
    ]);
  });

  it('keeps no more than ten thousand problems', () => {
    const [file] = inStdout('a:1:1: error: x\n'.repeat(10_001), 'gcc');
    expect(file?.diagnostics).toHaveLength(10_000);
  });
});

describe('checkMatcher', () => {
  it('refuses a pattern that names no file, line or message', () => {
    expect(() => checkMatcher({ pattern: /^(?<file>.*):(?<message>.*)$/ })).toThrow('The pattern names no group line');
    expect(() => checkMatcher('tsc')).not.toThrow();
  });
});
