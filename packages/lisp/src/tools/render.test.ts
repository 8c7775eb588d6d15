import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../evaluator.ts';
import type { Answer } from '../session.ts';
import { renderText, structured, type View } from './render.ts';

const CODE: View = { values: 'wanted', time: 'hidden' };
const OTHER: View = { values: 'incidental', time: 'hidden' };

function answer(outcome: Partial<Outcome>, notes: string[] = []): Answer {
  const whole = { ok: true, package: 'CL-USER', values: [], stdout: '', stderr: '', warnings: [] };
  return {
    session: 'default',
    engine: 'SBCL 2.2.9',
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

  it('says when the error came before the code ran', () => {
    const read = { ...error, type: 'END-OF-FILE', message: '', phase: 'read', restarts: [], frames: [] } as const;
    expect(renderText(answer({ ok: false, error: read }), CODE)).toBe(
      '[ERROR] END-OF-FILE\n; form 4, line 5, column 0, while reading',
    );
  });

  it('tells timeout, interrupt, loss and an open debugger', () => {
    expect(renderText(answer({ ok: false, interrupted: 'timeout' }), CODE)).toBe(
      '[TIMEOUT] The code took longer than its timeout and was interrupted. Session default lives on.',
    );
    expect(renderText(answer({ ok: false, interrupted: 'request' }), CODE)).toBe(
      '[INTERRUPTED] The code was asked to stop and was interrupted. Session default lives on.',
    );
    const lost = { kind: 'exited', message: 'The code ended the Lisp.' } as const;
    expect(renderText(answer({ ok: false, lost }), CODE)).toBe(
      '[SESSION LOST] The code ended the Lisp.\n; Nothing session default knew is left; the next call starts a fresh Lisp.',
    );
    expect(renderText(answer({ ok: false, interrupted: 'timeout', lost }), CODE)).toMatch(
      /^\[TIMEOUT\] The code took longer than its timeout\.\n\[SESSION LOST\]/,
    );
    expect(renderText(answer({ ok: false, error, debugging: true }), CODE)).toMatch(/use the debugger tool/);
  });

  it('lists findings, or says that there are none', () => {
    const findings = [
      { kind: 'function', name: 'FOO', detail: '(x)\nDoc.' },
      { kind: 'class', name: 'BAR' },
    ];
    expect(renderText(answer({ findings }), OTHER)).toBe('function FOO — (x)\n    Doc.\nclass BAR');
    expect(renderText(answer({ findings: [] }), OTHER)).toBe('; Nothing found');
    const cut = [...findings.slice(1), { kind: 'more', name: 'there are more' }];
    expect(renderText(answer({ findings: cut }), OTHER)).toBe('class BAR\n; … there are more');
  });

  it('shows time and memory when asked', () => {
    const timing = { realMs: 1.23456, runMs: 1, bytesConsed: 32 };
    expect(renderText(answer({ values: ['1'], timing }), { values: 'wanted', time: 'shown' })).toBe(
      '=> 1\n; 1.235 ms real time, 1 ms run time, 32 bytes consed',
    );
  });

  it('is bounded, and says what is left out', () => {
    const values = Array.from({ length: 60 }, (_, index) => String(index));
    expect(renderText(answer({ values }), CODE)).toMatch(/=> 49\n; … and 10 more values$/);
    const findings = Array.from({ length: 1100 }, (_, index) => ({ kind: 'function', name: `F${index}` }));
    expect(renderText(answer({ findings }), OTHER)).toMatch(/function F999\n; … and 100 more of them$/);
    const long = { ...error, message: 'x'.repeat(30_000) };
    expect(renderText(answer({ ok: false, error: long }), CODE)).toContain('x… (10000 more characters)');
  });

  it('shows control characters as pictures', () => {
    expect(renderText(answer({ values: ['a\u0000b\u001b[31m\u007f\u009b\tc\r\n'] }), CODE)).toBe(
      '=> a␀b␛[31m␡\\x9b\tc\n',
    );
  });
});

it('whatever a Lisp says becomes JSON that says the same to every reader', { timeout: 60_000 }, () => {
  const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) });
  fc.assert(
    fc.property(anyText, anyText, (stdout, message) => {
      const given = answer({ ok: false, stdout, values: [stdout], error: { ...error, message } });
      for (const value of [renderText(given, CODE), structured(given, CODE)]) {
        const json = Buffer.from(JSON.stringify(value), 'utf8');
        expect(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json))).toEqual(value);
        expect(JSON.stringify(value)).not.toMatch(/\\ud[89a-f]/i);
      }
    }),
  );
});
