// Every tool on a real SBCL, through our own client; the essentials through the official ones.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallToolResult } from '@hawser/mcp';
import { Client, type ClientSession } from '@hawser/mcp/client';
import { connectStdio } from '@hawser/mcp/stdio';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cacheForTests, folderForTests, LISP_PROGRAM } from './lisp-program.ts';

const INFO = { name: 'test', version: '0' };
const COMMAND = { command: process.execPath, args: [LISP_PROGRAM] };

const cache = cacheForTests();
const folder = folderForTests('tools');
let client: ClientSession;

beforeAll(async () => {
  client = await new Client(INFO).connect(connectStdio({ ...COMMAND, env: cache, cwd: folder }));
});
afterAll(() => client.close());

type Result = CallToolResult & { readonly text: string; readonly structuredContent: { [key: string]: unknown } };

async function call(name: string, args: object = {}): Promise<Result> {
  const result = await client.callTool(name, args as { [name: string]: unknown });
  const [block] = result.content;
  return { ...result, text: block?.type === 'text' ? block.text : '' } as Result;
}

/** Each group of tests has its own session. */
let sessions = 0;
const freshSession = () => {
  sessions += 1;
  return `s${sessions}`;
};
async function inFreshSession(
  work: (evaluate: (code: string, more?: object) => Promise<Result>, session: string) => Promise<void>,
) {
  const session = freshSession();
  try {
    await work((code, more = {}) => call('evaluate-lisp', { code, session, ...more }), session);
  } finally {
    await call('close-session', { session });
  }
}

describe('evaluate-lisp', () => {
  it('answers with text and structure', async () => {
    const { text, structuredContent, isError } = await call('evaluate-lisp', { code: '(+ 1 2)' });
    expect(text).toBe('=> 3');
    expect(isError).toBeUndefined();
    expect(structuredContent).toEqual({
      ok: true,
      engine: expect.stringMatching(/^SBCL \d/),
      session: 'default',
      package: 'COMMON-LISP-USER',
      call: expect.any(Number),
      values: ['3'],
      stdout: '',
      stderr: '',
      warnings: [],
      timing: { realMs: expect.any(Number), runMs: expect.any(Number), bytesConsed: expect.any(Number) },
    });
  });

  it('keeps state, and keeps sessions apart', () =>
    inFreshSession(async (evaluate) => {
      await evaluate('(defpackage :pets (:use :cl)) (in-package :pets) (defvar *dog* 42)');
      const { text, structuredContent } = await evaluate('*dog*');
      expect([text, structuredContent.package]).toEqual(['=> 42\n; Package: PETS', 'PETS']);
      expect((await call('evaluate-lisp', { code: '(find-package :pets)' })).text).toBe('=> NIL');
    }));

  it('takes a package, input for the code, and shows the time', () =>
    inFreshSession(async (evaluate) => {
      expect((await evaluate("'if", { package: 'KEYWORD' })).text).toContain('=> ');
      expect((await evaluate('(list (read-line) (read))', { stdin: 'a line\n(b c)' })).text).toBe(
        '=> ("a line" (B C))',
      );
      expect((await evaluate('1', { 'capture-time': true })).text).toMatch(
        /^=> 1\n; [\d.]+ ms real time, [\d.]+ ms run time, \d+ bytes consed$/,
      );
    }));

  it('tells output, warnings and values apart, in order', () =>
    inFreshSession(async (evaluate) => {
      const code = '(format t "to out") (format *error-output* "to err") (warn "beware") (values 1 :two)';
      const { text, structuredContent } = await evaluate(code);
      expect(text).toMatch(/^\[stdout\]\nto out\n\[stderr\]\nto err\n\[warnings\]\n.*beware\n=> 1\n=> :TWO$/);
      expect(structuredContent).toMatchObject({ stdout: 'to out', stderr: 'to err', values: ['1', ':TWO'] });
      expect((await evaluate('(values)')).text).toBe('; No values');
    }));

  it('keeps the type and the place of an error', () =>
    inFreshSession(async (evaluate) => {
      const { isError, text, structuredContent } = await evaluate('(defun half (x)\n  (/ x 0))\n\n  (half 3)');
      expect(isError).toBe(true);
      expect(text).toMatch(/^\[ERROR\] DIVISION-BY-ZERO\n.*\n; form 2, line 4, column 2(\n|$)/s);
      expect(text).not.toContain('[Restarts]');
      expect(structuredContent).toMatchObject({
        ok: false,
        error: {
          type: 'DIVISION-BY-ZERO',
          types: expect.arrayContaining(['DIVISION-BY-ZERO', 'ARITHMETIC-ERROR', 'ERROR', 'CONDITION']),
          phase: 'evaluate',
          form: 2,
          line: 4,
          column: 2,
          restarts: [],
        },
      });
    }));

  it('evaluates what comes before a reader error, and says where that is', () =>
    inFreshSession(async (evaluate) => {
      const { text, structuredContent } = await evaluate('(defvar *x* 1)\n(list 1 #<x>)');
      expect(text).toContain('[ERROR]');
      expect(structuredContent.error).toMatchObject({ phase: 'read', form: 2, line: 2 });
      expect((await evaluate('*x*')).text).toBe('=> 1');
    }));

  it('hints at where a parenthesis is missing', () =>
    inFreshSession(async (evaluate) => {
      const { text, structuredContent } = await evaluate('(defun f (x)\n  (+ x 1)\n\n(defun g (x) x)\n');
      expect(structuredContent.error).toMatchObject({ type: 'END-OF-FILE', phase: 'read' });
      expect(text).toContain(
        '\n; Hint: line 1, column 0: This list is not closed: a ) is missing. A ) is probably missing before the definition at line 4, column 0',
      );
      expect(structuredContent.hint).toMatch(/^line 1, column 0: /);
    }));

  it('honours a timeout and goes on in the same session', () =>
    inFreshSession(async (evaluate) => {
      await evaluate('(defvar *kept* :yes)');
      const { text, isError, structuredContent } = await evaluate('(loop)', { timeout: 0.1 });
      expect([isError, structuredContent.interrupted]).toEqual([true, 'timeout']);
      expect(text).toContain('[TIMEOUT]');
      expect((await evaluate('*kept*')).text).toBe('=> :YES');
      // A very short timeout is not the same as none.
      expect((await evaluate('(loop)', { timeout: 0.0001 })).text).toContain('[TIMEOUT]');
    }));

  it('says when a session was lost, and the next answer that it has a fresh one', () =>
    inFreshSession(async (evaluate, session) => {
      await evaluate('(defvar *gone* t)');
      const lost = await evaluate('(sb-sys:without-interrupts (loop))', { timeout: 0.1 });
      expect(lost.text).toContain('[SESSION LOST]');
      expect(lost.structuredContent).toMatchObject({ ok: false, sessionLost: { kind: 'timeout' } });
      const next = await evaluate("(boundp '*gone*)");
      expect(next.text).toMatch(new RegExp(`^; The Lisp of session ${session} was lost .*\\n=> NIL$`));
      expect(next.structuredContent.notes).toHaveLength(1);
      expect((await evaluate('1')).text).toBe('=> 1');
    }));

  it('refuses to start a session that was lost three times', () =>
    inFreshSession(async (evaluate) => {
      const kill = '(sb-alien:alien-funcall (sb-alien:extern-alien "_exit" (function sb-alien:void sb-alien:int)) 3)';
      for (let n = 0; n < 3; n += 1) expect((await evaluate(kill)).text).toContain('[SESSION LOST]');
      const { isError, text, structuredContent } = await evaluate('1');
      expect([isError, structuredContent.ok]).toEqual([true, false]);
      expect(text).toMatch(/was lost 3 times within 300 seconds, so it is not started again before .* \(in \d+ s\)/);
    }));

  it('never breaks JSON, whatever is printed', () =>
    inFreshSession(async (evaluate) => {
      const { text, structuredContent } = await evaluate(
        '(coerce (list (code-char 0) (code-char #xd800) (code-char 27) (code-char #x1f600) #\\" #\\\\) (quote string))',
      );
      expect(text).toBe('=> "␀\ufffd␛😀\\"\\\\"');
      expect(structuredContent.values).toEqual(['"\u0000\ufffd\u001b😀\\"\\\\"']);
    }));

  it('bounds output and values as configured', () =>
    inFreshSession(async (evaluate) => {
      const { text, structuredContent } = await evaluate(
        '(progn (dotimes (i 300000) (write-char #\\x)) (make-string 50000))',
      );
      expect(text).toMatch(/\nx{100000}…\n\(100000 of 300000 characters; raise "output" with configure-limits/);
      expect((structuredContent.values as string[])[0]?.length).toBeLessThan(20_100);
      // Long output does not travel twice.
      expect(structuredContent.stdout).toMatch(
        /^x{20000}…\n\(20000 of \d+ characters; the text of the result has all\)$/,
      );
    }));

  it('sends output as progress while the code runs', () =>
    inFreshSession(async (_evaluate, session) => {
      const received: string[] = [];
      const code = '(dotimes (i 3) (format t "step ~d~%" i) (finish-output) (sleep 0.25))';
      await client.callTool(
        'evaluate-lisp',
        { code, session },
        { onProgress: ({ message }) => void received.push(message ?? '') },
      );
      expect(received.join('')).toBe('step 0\nstep 1\nstep 2\n');
      expect(received.length).toBeGreaterThan(1);
    }));
});

describe('debugger', () => {
  const failing =
    '(defun risky (x) (restart-case (error "bad ~a" x) (use-value (v) :report "Use it." (* v x)))) (risky 7)';

  it('looks at the locals of an open error, evaluates in its frame, and goes on with a restart', () =>
    inFreshSession(async (evaluate, session) => {
      const opened = await evaluate(failing, { 'on-error': 'break' });
      expect(opened.isError).toBe(true);
      expect(opened.structuredContent).toMatchObject({ ok: false, debugging: true });
      const { frames, restarts } = opened.structuredContent.error as {
        frames: string[];
        restarts: { name: string }[];
      };
      const frame = frames.findIndex((text) => text.includes('RISKY'));
      expect(frame).toBeGreaterThanOrEqual(0);
      expect((await call('list-sessions')).text).toContain(`${session}: debugging`);
      const locals = await call('debugger', { action: 'locals', frame, session });
      expect(locals.structuredContent.findings).toContainEqual(expect.objectContaining({ name: 'X', detail: '7' }));
      expect((await call('debugger', { action: 'eval-in-frame', frame, code: '(1+ x)', session })).text).toContain(
        '=> 8',
      );
      const restart = restarts.findIndex(({ name }) => name === 'USE-VALUE');
      const going = await call('debugger', { action: 'restart', restart, arguments: ['(+ 1 5)'], session });
      expect([going.isError, going.text]).toEqual([undefined, '=> 42']);
      expect((await call('list-sessions')).text).toContain(`${session}: idle`);
    }));

  it('is left with abort, and cannot be used when no error is open', () =>
    inFreshSession(async (evaluate, session) => {
      const open = await evaluate('(error "x")', { 'on-error': 'break' });
      expect(open.text).toContain(' 0: [ABORT]');
      expect((await call('debugger', { action: 'restart', restart: 0, session })).text).toBe('; Done');
      await evaluate(failing, { 'on-error': 'break' });
      expect((await call('debugger', { action: 'abort', session })).text).toBe('; Done');
      const { isError, text } = await call('debugger', { action: 'abort', session });
      expect([isError, text]).toEqual([
        true,
        `No error is open in session ${session}. Call evaluate-lisp with on-error "break" first.`,
      ]);
      expect((await evaluate('(+ 1 1)')).text).toBe('=> 2');
    }));

  it('says what it misses', async () => {
    expect((await call('debugger', { action: 'restart' })).text).toBe('Give the number of a restart in "restart".');
    expect((await call('debugger', { action: 'eval-in-frame' })).text).toBe('Give a form in "code".');
  });
});

describe('sessions', () => {
  it('are listed, reset and closed', async () => {
    const session = freshSession();
    await call('evaluate-lisp', { code: '(defvar *old* 1)', session });
    const { structuredContent, text: listed } = await call('list-sessions');
    expect(listed).toMatch(
      new RegExp(`^${session}: idle, SBCL .*, package COMMON-LISP-USER, 1 call, idle for 0 s$`, 'm'),
    );
    expect(structuredContent.sessions).toContainEqual(
      expect.objectContaining({ name: session, state: 'idle', package: 'COMMON-LISP-USER', waiting: 0, calls: 1 }),
    );
    expect((await call('reset-session', { session })).text).toContain('has a fresh Lisp');
    expect((await call('evaluate-lisp', { code: "(boundp '*old*)", session })).text).toBe('=> NIL');
    expect((await call('close-session', { session })).text).toBe(`Session ${session} is closed.`);
    const { isError, text } = await call('close-session', { session });
    expect([isError, text]).toEqual([true, expect.stringContaining(`There is no session "${session}"`)]);
  });

  it('run side by side, and an interrupt ends what runs in one', async () => {
    const [one, other] = [freshSession(), freshSession()];
    await call('evaluate-lisp', { code: '1', session: one });
    const running = call('evaluate-lisp', { code: '(loop)', session: one, timeout: 0 });
    expect((await call('evaluate-lisp', { code: '2', session: other })).text).toBe('=> 2');
    await expect.poll(async () => (await call('interrupt', { session: one })).structuredContent.interrupted).toBe(true);
    const { text, isError } = await running;
    expect([isError, text]).toEqual([true, expect.stringContaining('[INTERRUPTED]')]);
    await call('close-session', { session: one });
    await call('close-session', { session: other });
  });

  it('have limits that can be shown and changed', async () => {
    expect((await call('configure-limits')).structuredContent).toEqual({
      ok: true,
      timeout: 30,
      'load-timeout': 600,
      output: 100_000,
      value: 20_000,
      'max-sessions': 8,
      idle: 15,
      heap: 512,
    });
    await inFreshSession(async (evaluate) => {
      expect((await call('configure-limits', { value: 100 })).text).toContain('value: 100 characters');
      expect((await evaluate('(make-string 1000)')).text.length).toBeLessThan(300);
      await call('configure-limits', { value: 20_000 });
    });
  });
});

describe('looking around', () => {
  it('finds definitions, descriptions, symbols, expansions and callers', () =>
    inFreshSession(async (evaluate, session) => {
      await evaluate(`(defpackage :zoo (:use :cl)) (in-package :zoo)
        (defvar *lion* 1 "Roars.")
        (defun feed (animal) "Feeds it." (list :fed animal))
        (defun feed-all () (feed *lion*))
        (defmacro twice (form) \`(progn ,form ,form))
        (defclass cage () ((size :initform 3)))`);
      const definitions = await call('list-definitions', { session });
      for (const name of ['FEED', 'FEED-ALL', 'TWICE', 'CAGE', '*LION*']) expect(definitions.text).toContain(name);
      expect((await call('describe-symbol', { symbol: 'feed', session })).text).toContain('Feeds it.');
      const found = await call('apropos-search', { text: 'feed', package: 'ZOO', session });
      expect(found.text).toMatch(/FEED-ALL/);
      expect((await call('macroexpand-form', { form: '(twice (feed 1))', session })).text).toMatch(
        /^=> \(PROGN \(FEED 1\) \(FEED 1\)\)\n; Package: ZOO$/i,
      );
      expect((await call('find-references', { symbol: 'feed', session })).text).toMatch(/FEED-ALL \(call \d+, form 5/);
      expect((await call('find-references', { symbol: 'feed-all', session })).text).toMatch(
        /^; No callers found\. Use relation macroexpanders for a macro/,
      );
      expect((await call('inspect', { form: "(make-instance 'cage)", session })).text).toMatch(/SIZE.*3/);
    }));

  it('compiles a form without running it, with the warnings of the compiler', () =>
    inFreshSession(async (evaluate, session) => {
      const { text } = await call('compile-form', { form: '(defun lost () (no-such-function-here))', session });
      expect(text).toMatch(/warning.*no-such-function-here/i);
      expect((await call('compile-form', { form: '(+ 1 2)', session })).text).toBe('; Compiled without warnings');
      expect((await evaluate("(fboundp 'lost)")).text).toBe('=> NIL');
    }));

  it('loads files and systems', () =>
    inFreshSession(async (evaluate, session) => {
      writeFileSync(join(folder, 'good.lisp'), '(defparameter *loaded* :good)\n(print "loading")\n');
      writeFileSync(join(folder, 'bad.lisp'), '(defparameter *first* 1)\n\n(car 5)\n');
      expect((await call('load-file', { path: 'good.lisp', session })).text).toContain('"loading"');
      expect((await evaluate('*loaded*')).text).toBe('=> :GOOD');
      const bad = await call('load-file', { path: join(folder, 'bad.lisp'), session });
      expect(bad.isError).toBe(true);
      expect(bad.structuredContent.error).toMatchObject({ type: 'TYPE-ERROR', line: 3 });
      expect((await call('load-file', { path: 'none.lisp', session })).isError).toBe(true);
      expect((await call('load-system', { system: 'sb-rotate-byte', session })).isError).toBeUndefined();
      const { isError, text } = await call('load-system', { system: 'no-such-system', session });
      expect([isError, text]).toEqual([true, expect.stringContaining('no-such-system')]);
    }));
});

it('validate-syntax reads and does not run', async () => {
  const { text, structuredContent, isError } = await call('validate-syntax', { code: '(defun f (x)\n  (+ x 1)\n' });
  expect(isError).toBeUndefined();
  expect(text).toBe('[ERROR] line 1, column 0: This list is not closed: a ) is missing');
  expect(structuredContent).toMatchObject({ ok: false, problems: [{ line: 1, column: 0 }] });
  expect((await call('validate-syntax', { code: '(f 1) (g 2)' })).text).toBe('The delimiters match.');
});

it('each tool is listed with a schema and hints, in at most 12 kB', async () => {
  const tools = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'evaluate-lisp',
    'debugger',
    'load-system',
    'test-system',
    'load-file',
    'describe-symbol',
    'find-definition',
    'find-references',
    'list-definitions',
    'apropos-search',
    'macroexpand-form',
    'compile-form',
    'inspect',
    'validate-syntax',
    'interrupt',
    'list-sessions',
    'reset-session',
    'close-session',
    'configure-limits',
  ]);
  expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(12_000);
  for (const { name, title, description, inputSchema } of tools) {
    expect([name, typeof title, typeof description, inputSchema.type]).toEqual([name, 'string', 'string', 'object']);
  }
  const evaluate = tools.find(({ name }) => name === 'evaluate-lisp');
  expect(Object.keys(evaluate?.inputSchema.properties ?? {})).toEqual([
    'code',
    'package',
    'session',
    'timeout',
    'stdin',
    'capture-time',
    'on-error',
  ]);
  expect(evaluate?.inputSchema.required).toEqual(['code']);
});

it('the hints say which tools run code of the session: all but those that only look', async () => {
  const tools = await client.listTools();
  const readOnly = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name);
  expect(readOnly).toEqual([
    'describe-symbol',
    'find-definition',
    'find-references',
    'list-definitions',
    'apropos-search',
    'validate-syntax',
    'list-sessions',
  ]);
  const harmless = tools.filter(({ annotations }) => annotations?.destructiveHint === false).map(({ name }) => name);
  expect(harmless).toEqual(['interrupt', 'configure-limits']);
  // None of them evaluates what the reader is asked to.
  for (const name of ['describe-symbol', 'find-definition', 'find-references']) {
    await call(name, { symbol: '#.(defvar *evaluated-by-a-reader* t)' });
  }
  await call('apropos-search', { text: '#.(defvar *evaluated-by-a-reader* t)' });
  expect((await call('evaluate-lisp', { code: "(boundp '*evaluated-by-a-reader*)" })).text).toBe('=> NIL');
});

describe.each([
  [
    'v1',
    async () => {
      const official = new ClientV1(INFO);
      await official.connect(new StdioV1({ ...COMMAND, env: { ...strings(process.env), ...cache } }));
      return official;
    },
  ],
  [
    'v2',
    async () => {
      const official = new ClientV2(INFO);
      await official.connect(new StdioV2({ ...COMMAND, env: { ...strings(process.env), ...cache } }));
      return official;
    },
  ],
  [
    'v2, stateless',
    async () => {
      const official = new ClientV2(INFO, { versionNegotiation: { mode: 'auto' } });
      await official.connect(new StdioV2({ ...COMMAND, env: { ...strings(process.env), ...cache } }));
      return official;
    },
  ],
])('the official client %s', (_name, connect) => {
  it('lists the tools, evaluates, and gets errors', async () => {
    const official = await connect();
    try {
      const { tools } = await official.listTools();
      expect(tools).toHaveLength(19);
      // It checks structured content against the output schema.
      const evaluate = (code: string) => official.callTool({ name: 'evaluate-lisp', arguments: { code } });
      expect(await evaluate('(expt 2 100)')).toMatchObject({
        content: [{ type: 'text', text: '=> 1267650600228229401496703205376' }],
        structuredContent: { ok: true, values: ['1267650600228229401496703205376'] },
      });
      expect(await evaluate('(car 5)')).toMatchObject({
        isError: true,
        structuredContent: { ok: false, error: { type: 'TYPE-ERROR' } },
      });
    } finally {
      await official.close();
    }
  });
});

it('the official client v2 gets output as progress, and its cancel interrupts', async () => {
  const official = new ClientV2(INFO);
  await official.connect(new StdioV2({ ...COMMAND, env: { ...strings(process.env), ...cache } }));
  try {
    const cancel = new AbortController();
    const code = '(unwind-protect (progn (format t "begun") (finish-output) (loop)) (defvar *cut-off* t))';
    const received: string[] = [];
    const calling = official.callTool(
      { name: 'evaluate-lisp', arguments: { code, timeout: 0 } },
      {
        signal: cancel.signal,
        onprogress: ({ message }) => {
          received.push(message ?? '');
          cancel.abort();
        },
      },
    );
    await expect(calling).rejects.toThrow();
    expect(received).toEqual(['begun']);
    const { content } = await official.callTool({ name: 'evaluate-lisp', arguments: { code: '*cut-off*' } });
    expect(content).toEqual([{ type: 'text', text: '=> T' }]);
  } finally {
    await official.close();
  }
});

function strings(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
