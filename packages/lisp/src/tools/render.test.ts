import { describe, expect, it } from 'vitest';
import type { Answer } from '../call-queue.ts';
import type { Outcome } from '../evaluator.ts';
import { PLAIN, renderText, structured, type View, wholeOutput } from './render.ts';

const CODE: View = { values: 'wanted', time: 'hidden', output: 'shown' };
const OTHER: View = PLAIN;
const QUIET: View = { ...PLAIN, output: 'hidden' };

function answer(outcome: Partial<Outcome>, notes: string[] = []): Answer {
  const whole = { ok: true, package: 'COMMON-LISP-USER', values: [], stdout: '', stderr: '', warnings: [] };
  return {
    session: 'default',
    engine: 'SBCL 2.2.9',
    keepsDefinitions: false,
    outcome: { ...whole, timing: { realMs: 1.23456, runMs: 1 }, ...outcome },
    notes,
  };
}

const error = {
  type: 'DIVISION-BY-ZERO',
  types: ['DIVISION-BY-ZERO', 'ARITHMETIC-ERROR', 'ERROR'],
  message: 'arithmetic error DIVISION-BY-ZERO signalled',
  phase: 'evaluate',
  form: 4,
  line: 5,
  column: 0,
  restarts: [
    { name: 'USE-VALUE', description: 'Use another.' },
    { name: 'ABORT', description: 'Give up.' },
  ],
  frames: ['(/ 1 0)', '(FOO 1)'],
} as const;

describe('an answer as text', () => {
  it('is the value', () => {
    expect(renderText(answer({ values: ['3'] }), CODE)).toBe('=> 3');
  });

  it('has a line for each value, and one for none', () => {
    expect(renderText(answer({ values: ['1', '"a\nb"'] }), CODE)).toBe('=> 1\n=> "a\nb"');
    expect(renderText(answer({}), CODE)).toBe('; No values');
    expect(renderText(answer({}), OTHER)).toBe('; Done');
  });

  it('has its sections in order', () => {
    const outcome = { ok: false, stdout: 'out\n', stderr: 'err', warnings: ['w1', 'w2'], error };
    expect(renderText(answer(outcome, ['A fresh one.']), CODE)).toBe(`; A fresh one.
[stdout]
out
[stderr]
err
[warnings]
w1
w2
[ERROR] DIVISION-BY-ZERO
arithmetic error DIVISION-BY-ZERO signalled
; form 4, line 5, column 0
[Restarts]
 0: [USE-VALUE] Use another.
 1: [ABORT] Give up.
[Backtrace]
 0: (/ 1 0)
 1: (FOO 1)`);
  });

  it('lists a restart without a name by its description', () => {
    const open = { ...error, restarts: [{ name: '', description: 'Carry on.' }], frames: [] };
    expect(renderText(answer({ ok: false, error: open }), CODE)).toMatch(/\n 0: Carry on\.$/);
  });

  it('says when the error came before the code ran', () => {
    const read = { ...error, type: 'END-OF-FILE', message: '', phase: 'read', restarts: [], frames: [] } as const;
    expect(renderText(answer({ ok: false, error: read }), CODE)).toBe(
      '[ERROR] END-OF-FILE\n; form 4, line 5, column 0, while reading',
    );
  });

  it('says what ended early, and what to do', () => {
    expect(renderText(answer({ ok: false, interrupted: 'timeout' }), CODE)).toBe(
      '[TIMEOUT] The code ran longer than its timeout. Session default keeps its state. Look for an endless loop, or give a longer timeout.',
    );
    expect(renderText(answer({ ok: false, interrupted: 'request' }), CODE)).toBe(
      '[INTERRUPTED] The code was interrupted by request. Session default keeps its state.',
    );
    const lost = { kind: 'exited', message: 'The code ended the Lisp.' } as const;
    expect(renderText(answer({ ok: false, lost }), CODE)).toBe(
      '[SESSION LOST] The code ended the Lisp.\n; All definitions of session default are gone. The next call starts a fresh Lisp.',
    );
    expect(renderText({ ...answer({ ok: false, lost }), keepsDefinitions: true }, CODE)).toBe(
      '[SESSION LOST] The code ended the Lisp.\n; The next call in session default connects again. The image keeps its definitions.',
    );
    expect(renderText(answer({ ok: false, interrupted: 'timeout', lost }), CODE)).toMatch(
      /^\[TIMEOUT\] The code ran longer than its timeout\.\n\[SESSION LOST\]/,
    );
    expect(renderText(answer({ ok: false, error, debugging: true }), CODE)).toMatch(/Call debugger/);
  });

  it('lists findings with their places, or says that there are none', () => {
    const findings = [
      { kind: 'function', name: 'FOO', detail: '(x)\nDoc.', place: { file: '/a.lisp', form: 2, line: 3, column: 0 } },
      { kind: 'class', name: 'BAR', place: { call: 7, form: 2, line: 5, column: 1 } },
      { kind: 'style-warning', name: 'X is unused', place: { file: '/a.lisp', line: 4, column: 2 } },
      { kind: 'warning', name: 'odd', place: { line: 4, column: 2 } },
      { kind: 'package', name: 'P' },
    ];
    expect(renderText(answer({ findings, total: 5 }), OTHER)).toBe(`function FOO — (x)
    Doc. (/a.lisp:3:0)
class BAR (call 7, form 2, line 5)
/a.lisp:4:2: style-warning: X is unused
line 4, column 2: warning: odd
package P`);
    expect(renderText(answer({ findings: [], total: 0 }), OTHER)).toBe('; Nothing found');
    const { type, message } = error;
    const failed = { ...error, restarts: [], frames: [] };
    expect(renderText(answer({ ok: false, findings: [], total: 0, error: failed }), OTHER)).toBe(
      `[ERROR] ${type}\n${message}\n; form 4, line 5, column 0`,
    );
    const part = { findings: findings.slice(4), total: 7 };
    expect(renderText(answer(part), OTHER)).toBe('package P\n; 1 to 1 of 7. Continue with offset 1.');
    expect(renderText(answer(part), OTHER, { offset: 6 })).toBe('package P');
  });

  it('shows the first findings of a call that can not be repeated, and says where the others are', () => {
    const findings = Array.from({ length: 120 }, (_, index) => ({ kind: 'style-warning', name: `number ${index}` }));
    const loaded = answer({ findings, total: 130 });
    const view: View = { ...QUIET, rest: 'resource' };
    const text = renderText(loaded, view);
    expect(text.split('\n')).toHaveLength(101);
    expect(text).toMatch(/number 99\n; 100 of 130\. Read more in lisp:\/\/sessions\/default\/output$/);
    expect(structured(loaded, view)).toMatchObject({ findings: findings.slice(0, 100), total: 130 });
    expect(wholeOutput(loaded.outcome)).toMatch(
      /^\[findings\]\n.*number 119\n; 120 of 130 findings; the others were not kept$/s,
    );
    const few = answer({ findings: findings.slice(0, 100), total: 100 });
    expect(renderText(few, view)).toMatch(/number 99$/);
    expect(wholeOutput(few.outcome)).toBe('');
  });

  it('hides output that was not asked for, and says where it is', () => {
    const loaded = { stdout: 'x'.repeat(40), stderr: 'yy', findings: [{ kind: 'system', name: 'a' }], total: 1 };
    expect(renderText(answer(loaded), QUIET)).toBe(
      'system a\n; 42 characters of output: read lisp://sessions/default/output',
    );
    expect(renderText(answer({ ...loaded, ok: false }), QUIET)).toMatch(/output, or call with output "full"$/);
    expect(structured(answer(loaded), QUIET)).not.toHaveProperty('stdout');
    const long = { stdout: `begin${'x'.repeat(5000)}end`, findings: [], tests: { passed: 0, failed: 0, skipped: 0 } };
    expect(renderText(answer(long), { ...PLAIN, output: 'ending' })).toMatch(
      /^\[stdout\]\n…x{1997}end\n; No results .*\n; 5008 characters of output: read /,
    );
    expect(wholeOutput(answer(loaded).outcome)).toBe(`[stdout]\n${'x'.repeat(40)}\n[stderr]\nyy`);
  });

  it('names the current package unless it is the usual one', () => {
    expect(renderText(answer({ values: ['1'], package: 'SHOP' }), CODE)).toBe('=> 1\n; Package: SHOP');
  });

  it('shows traced calls, and counts tests', () => {
    const calls = [
      { depth: 0, kind: 'call', text: '(F 1)' },
      { depth: 1, kind: 'exit', text: 'G' },
      { depth: 0, kind: 'return', text: '1, 2' },
    ] as const;
    expect(renderText(answer({ values: ['1'], calls, callCount: 9 }), CODE)).toBe(`[trace]
0: (F 1)
  1: left G
0: => 1, 2
; 3 of 9 events. Trace fewer functions, or a smaller case, to see the rest.
=> 1`);
    const tests = { library: 'FiveAM', passed: 2, failed: 0, skipped: 1 };
    expect(renderText(answer({ findings: [], tests }), OTHER)).toBe('; 2 passed, 0 failed, 1 skipped (FiveAM)');
    const empty = { findings: [], tests: { library: 'FiveAM', passed: 0, failed: 0, skipped: 0 } };
    expect(renderText(answer(empty), OTHER)).toBe(
      '; No test ran (FiveAM). Does test-op name the right suite, and load its tests?',
    );
    const none = { findings: [], tests: { passed: 0, failed: 0, skipped: 0 } };
    expect(renderText(answer(none), OTHER)).toBe('; No test ran. Does the .asd file define a test-op for the system?');
    expect(renderText(answer({ ...none, ok: false, error }), OTHER)).not.toContain('test');
  });

  it('says how to go on after an error', () => {
    const withAdvice = {
      ...error,
      restarts: [],
      frames: [],
      file: '/a.lisp',
      phase: 'load',
      advice: 'Do this.',
    } as const;
    expect(renderText(answer({ ok: false, error: withAdvice }), CODE)).toBe(`[ERROR] DIVISION-BY-ZERO
arithmetic error DIVISION-BY-ZERO signalled
; /a.lisp:5:0, form 4, while loading
; Hint: Do this.`);
    expect(structured(answer({ ok: false, error: withAdvice }), CODE)).toMatchObject({ hint: 'Do this.' });
  });

  it('tells an error that was kept open from an earlier one', () => {
    expect(renderText(answer({ ok: false, error, debugging: true }), CODE)).toMatch(/\n; An error is open in /);
    const second = { ok: false, error: { ...error, restarts: [] }, debugging: true };
    expect(renderText(answer(second), CODE)).toMatch(
      /\n; The error that was open before is still open in session default\. Call debugger to .*abort\.$/,
    );
  });

  it('shows time and memory when asked', () => {
    const timing = { realMs: 1.23456, runMs: 1, bytesConsed: 32 };
    expect(renderText(answer({ values: ['1'], timing }), { ...CODE, time: 'shown' })).toBe(
      '=> 1\n; 1.235 ms real time, 1 ms run time, 32 bytes consed',
    );
  });

  it('shows the first of many warnings, and says where the others are', () => {
    const warnings = Array.from({ length: 80 }, (_, index) => `w${index}`);
    expect(renderText(answer({ warnings }), CODE)).toContain(
      'w49\n; 50 of 80 warnings. Read more in lisp://sessions/default/output',
    );
    expect(renderText(answer({ warnings, warningCount: 700 }), CODE)).toContain('; 50 of 700 warnings');
    expect(structured(answer({ warnings }), CODE).warnings).toHaveLength(50);
  });

  it('says of data, too, that warnings were left out', () => {
    const warnings = Array.from({ length: 80 }, (_, index) => `w${index}`);
    expect(structured(answer({ warnings }, ['A note.']), CODE).notes).toEqual([
      'A note.',
      '50 of 80 warnings. Read more in lisp://sessions/default/output',
    ]);
  });

  it('a full page of a list without an end can be continued, whatever its length', () => {
    const findings = ['a', 'b', 'a', 'b'].map((detail, part) => ({
      kind: 'element',
      name: String(part),
      detail,
      part,
    }));
    const continued = '; 1 to 4 of more. Continue with offset 4.';
    expect(renderText(answer({ findings }), OTHER, { limit: 4 })).toContain(continued);
    expect(renderText(answer({ findings }), OTHER)).not.toContain('Continue');
    expect(renderText(answer({ findings }), OTHER, { offset: 8, limit: 4 })).toContain('; 9 to 12 of more.');
  });

  it('counts warnings wherever some are left out', () => {
    const warnings = Array.from({ length: 80 }, (_, index) => `WARNING: ${index}`);
    expect(structured(answer({ warnings }), CODE)).toMatchObject({ warningCount: 80, warnings: warnings.slice(0, 50) });
    expect(structured(answer({ warnings: ['WARNING: 1'] }), CODE)).not.toHaveProperty('warningCount');
    expect(wholeOutput(answer({ warnings, warningCount: 300 }).outcome)).toMatch(/79\n; 80 of 300 warnings; /);
  });

  it('numbers the parts of an object', () => {
    const findings = [{ kind: 'slot', name: 'X', detail: '1', part: 7 }];
    expect(renderText(answer({ values: ['#<P>'], findings, total: 8 }), OTHER, { offset: 7 })).toBe(
      '7: slot X — 1\n=> #<P>',
    );
  });

  it('has what the server itself refuses in one line', () => {
    const refused = { ...error, type: 'ERROR', message: 'There is no part 9.', restarts: [], frames: [] };
    const { form: _, line: __, column: ___, ...plain } = refused;
    expect(renderText(answer({ ok: false, error: plain }), OTHER)).toBe('[ERROR] There is no part 9.');
  });

  it('shows control characters as pictures', () => {
    expect(renderText(answer({ values: ['a\u0000b\u001b[31m\u007f\u009b\tc\r\n'] }), CODE)).toBe(
      '=> a␀b␛[31m␡\\x9b\tc\n',
    );
    const outcome = { stdout: '\u001b[1mbold', stderr: '\u0007', values: ['\u0000'] };
    expect(renderText(answer(outcome), CODE)).toBe('[stdout]\n␛[1mbold\n[stderr]\n␇\n=> ␀');
    expect(renderText(answer({ ...outcome, stdout: 'a\tb', stderr: '' }), CODE)).toBe('[stdout]\na\tb\n=> ␀');
  });
});
