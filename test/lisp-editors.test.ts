// Resources and prompts of the server, and Swank in the image of a session.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../packages/bridge/testing/temporary-folder.ts';
import { cacheForTests, folderForTests, greet, type LispProgram, startLisp } from './lisp-program.ts';
import { SwankClient } from './lisp-swank-client.ts';

const cache = cacheForTests();
const home = folderForTests('home');
let lisp: LispProgram;

afterEach(() => lisp?.close());

async function start(args: string[] = []): Promise<void> {
  lisp = startLisp(['--cwd', home, ...args], { ...cache, HOME: home });
  await greet(lisp);
}

let lastId = 0;
async function request(method: string, params: object) {
  lastId += 1;
  lisp.send({ jsonrpc: '2.0', id: lastId, method, params });
  return lisp.next();
}

const read = async (session: string, name: string) => {
  const { result, error } = await request('resources/read', { uri: `lisp://sessions/${session}/${name}` });
  return result?.contents[0].text ?? error.code;
};

const evaluate = async (code: string) => (await lisp.call('evaluate-lisp', { code })).content[0].text;

describe('the resources of a session', () => {
  it('are listed: those of the default session, and templates for the others', async () => {
    await start();
    const uri = (name: string) => `lisp://sessions/default/${name}`;
    const listed = await request('resources/list', {});
    expect(listed.result.resources.map((resource: { uri: string }) => resource.uri)).toEqual(
      ['transcript', 'definitions', 'output'].map(uri),
    );
    // Reading starts no Lisp.
    expect([await read('default', 'transcript'), await read('default', 'output')]).toEqual(['', '']);
    expect(await read('default', 'definitions')).toBe('Nothing is defined');
    expect((await lisp.call('list-sessions')).content[0].text).toMatch(/^No session is running/);
    const { result } = await request('resources/templates/list', {});
    expect(result.resourceTemplates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate)).toEqual([
      'lisp://sessions/{session}/transcript',
      'lisp://sessions/{session}/definitions',
      'lisp://sessions/{session}/output',
    ]);
  });

  it('are its calls, its definitions and its last output', async () => {
    await start();
    await evaluate('(defun twice (x) (* 2 x))');
    await evaluate('(format t "hello") (dotimes (i 60) (warn "number ~d" i)) (twice 4)');
    expect(await read('default', 'transcript')).toMatch(
      /^; call \d+: evaluate-lisp\n\(defun twice .*\n=> TWICE\n\n; call \d+: evaluate-lisp\n.*\n=> 8$/s,
    );
    expect(await read('default', 'output')).toMatch(/^\[stdout\]\nhello\n\[warnings\]\n.*number 0\n.*number 59$/s);
    expect(await read('default', 'definitions')).toMatch(/^function TWICE — \(X\) \(call \d+, form 1, line 1\)$/);
    expect(await read('never-used', 'transcript')).toBe(-32002);
  });

  it('outlive the Lisp of the session', async () => {
    await start();
    const code = '(progn (format t "last words") (finish-output) (sb-ext:exit :code 3 :abort t))';
    expect(await evaluate(code)).toContain('[SESSION LOST]');
    expect(await read('default', 'transcript')).toContain('[SESSION LOST]');
  });

  it('keep the output that the answer of a load leaves out', async () => {
    writeFileSync(join(home, 'noisy.asd'), '(asdf:defsystem "noisy" :components ((:file "noisy")))');
    writeFileSync(join(home, 'noisy.lisp'), '(format t "~a" (make-string 5000 :initial-element #\\z))');
    // A file that is compiled in the second in which it was written is compiled again.
    utimesSync(join(home, 'noisy.lisp'), 1e9, 1e9);
    await start();
    const { content, structuredContent } = await lisp.call('load-system', { system: 'noisy' });
    expect(content[0].text).toMatch(
      /^system noisy — compiled 1 file and loaded\n; \d+ characters of output: read lisp:\/\/sessions\/default\/output/,
    );
    expect(JSON.stringify(structuredContent).length).toBeLessThan(500);
    expect(await read('default', 'output')).toContain('z'.repeat(5000));
    const full = await lisp.call('load-system', { system: 'noisy', output: 'full' });
    expect(full.content[0].text).toMatch(/^system noisy — was loaded already/);
    const evaluated = await evaluate('(asdf:load-system "noisy" :force t)');
    expect(evaluated).toBe(`[stdout]\n${'z'.repeat(5000)}\n=> T`);
  });
});

it('prompts say how to explain an error and how to make tests pass', async () => {
  await start();
  const { result } = await request('prompts/get', { name: 'explain-error', arguments: { code: '(car 5)' } });
  expect(result.messages[0].content.text).toMatch(/\(car 5\).*on-error "break"/s);
  const other = await request('prompts/get', { name: 'make-tests-pass', arguments: { system: 'shop' } });
  expect(other.result.messages[0].content.text).toMatch(/"shop".*test-system/s);
});

describe('--swank', () => {
  it('lets SLIME see what the agent sees, if it knows the secret', async () => {
    await start(['--swank']);
    const text = await evaluate('(defvar *of-the-agent* 41)');
    const port = Number(/^; Swank listens on 127\.0\.0\.1:(\d+): /.exec(text)?.[1]);
    const secretFile = join(home, '.slime-secret');
    expect(statSync(secretFile).mode & 0o777).toBe(0o600);
    const slime = await SwankClient.connect(port, readFileSync(secretFile, 'utf8').trim());
    expect(await slime.evaluate('(defvar *of-the-user* (1+ *of-the-agent*))')).toContain('*OF-THE-USER*');
    expect(await evaluate('*of-the-user*')).toBe('=> 42');
    slime.close();
    const stranger = await SwankClient.connect(port, 'not the secret, but as long as it');
    await expect(stranger.evaluate('(+ 1 2)')).rejects.toThrow('hung up');
    expect(await evaluate('*of-the-user*')).toBe('=> 42');
  });

  it('is off unless it is asked for', async () => {
    await start();
    expect(await evaluate('(find-package :swank)')).toBe('=> NIL');
  });
});

const { SLYNK } = process.env;

/** Swank is a Debian package. Slynk is in no registry: its folder is given. */
const EDITORS = [
  { editor: 'SLIME', server: 'swank', prefix: '', secretFile: '.slime-secret', folder: '' },
  { editor: 'Sly', server: 'slynk', prefix: 'slynk:', secretFile: '.sly-secret', folder: SLYNK },
] as const;

describe.each(EDITORS)('--attach to an image of a user of $editor', ({ server, prefix, secretFile, folder }) => {
  const secret = `a secret of the user of ${server}`;
  let image: ChildProcess;
  let port: number;

  beforeEach(async (context) => {
    if (folder === undefined) context.skip('Set SLYNK to the folder of slynk.asd: no registry has Slynk.');
    writeFileSync(join(home, secretFile), `${secret}\n`, { mode: 0o600 });
    ({ image, port } = await startUsersImage());
  });

  /** As the editor starts it. */
  async function startUsersImage(): Promise<{ image: ChildProcess; port: number }> {
    const forms = [
      '(require :asdf)',
      ...(folder ? [`(push #p"${folder}/" asdf:*central-registry*)`] : []),
      `(asdf:load-system "${server}")`,
      `(format t "~&port ~d~%" (${server}:create-server :port 0 :dont-close t))`,
      '(defvar *of-the-user* 20)',
      '(loop (sleep 1))',
    ];
    // SBCL reads each form after the one before it was evaluated.
    const args = ['--noinform', '--no-userinit', ...forms.flatMap((form) => ['--eval', form])];
    const started = spawn('sbcl', args, {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, ...cache, HOME: home },
    });
    onTestFinished(() => void started.kill('SIGKILL'));
    for await (const line of createInterface({ input: started.stdout })) {
      const [, found] = /^port (\d+)$/.exec(line) ?? [];
      if (found !== undefined) return { image: started, port: Number(found) };
    }
    throw new Error('The image ended');
  }

  const attach = () => start(['--attach', `${prefix}127.0.0.1:${port}`]);
  const connectEditor = () => SwankClient.connect(port, secret, server);

  it('serves tools there, and leaves it alive', async () => {
    await attach();
    expect(await evaluate('(defvar *of-the-agent* (+ 1 *of-the-user*)) (* 2 *of-the-agent*)')).toBe('=> 42');
    expect((await lisp.call('evaluate-lisp', { code: '(loop)', timeout: 0.2 })).content[0].text).toContain('[TIMEOUT]');
    expect(await evaluate('(error "of the agent")')).toContain('[ERROR] SIMPLE-ERROR');
    expect(await evaluate('(sb-ext:exit)')).toContain('[ERROR] EXIT');
    expect(await evaluate('(in-package :keyword)')).toContain('; Package: KEYWORD');
    expect((await lisp.call('reset-session')).content[0].text).toContain('definitions are kept');
    expect(await evaluate('*of-the-agent*')).toBe('=> 21');
    const user = await connectEditor();
    expect(await user.evaluate('(list *of-the-agent* (package-name *package*))')).toContain('COMMON-LISP-USER');
    await lisp.close();
    // ASDF is as it was: our search functions are no symbols.
    const left = '(list :left (count-if (function functionp) asdf:*system-definition-search-functions*))';
    await expect.poll(() => user.evaluate(left)).toContain('(:LEFT 0)');
    user.close();
    await attach();
    expect(await evaluate('*of-the-agent*')).toBe('=> 21');
    const threads =
      '(count "hawser worker" (sb-thread:list-all-threads) :key (function sb-thread:thread-name) :test (function equal))';
    expect(await evaluate(threads)).toBe('=> 1');
    expect([image.exitCode, image.signalCode]).toEqual([null, null]);
  });

  it('M-. finds what the agent has loaded from a file', async () => {
    const file = join(home, 'of-the-agent.lisp');
    writeFileSync(file, ';;; A file.\n(defvar *loaded* 1)\n\n(defun loaded-by-the-agent (x)\n  x)\n');
    await attach();
    expect((await lisp.call('load-file', { path: file })).isError).toBeUndefined();
    const user = await connectEditor();
    const found = await user.call('find-definitions-for-emacs "loaded-by-the-agent"');
    const [, path, position] = /\(:file "([^"]+)"\) \(:position (\d+)\)/.exec(found) ?? [];
    expect([path, readFileSync(file, 'utf8').slice(Number(position) - 1)]).toEqual([
      file,
      expect.stringMatching(/^\n*\(defun loaded-by-the-agent/),
    ]);
    expect(await user.call('find-definitions-for-emacs "*loaded*"')).toContain(file);
    user.close();
  });

  /** The agent evaluates an endless loop, and the user has found its thread in the list of threads. */
  async function startLoop() {
    await attach();
    await evaluate('(defvar *kept* 41)');
    const code = '(progn (print 1) (finish-output) (loop))';
    const answer = lisp.call('evaluate-lisp', { code, timeout: 0 }, { progressToken: 1 });
    await expect.poll(() => lisp.earlier.length).toBeGreaterThan(0);
    const user = await connectEditor();
    const threads = [...(await user.call('list-threads')).matchAll(/\(\d+ "([^"]*)"/g)].map(([, name]) => name);
    expect(threads).toContain('hawser worker');
    return { answer, user, index: threads.indexOf('hawser worker') };
  }

  it('the user stops the agent by a restart in the debugger, and nothing else', async () => {
    const { answer, user, index } = await startLoop();
    await user.call(`debug-nth-thread ${index}`);
    const [debug, thread = '', level = ''] = await user.received(
      /\(:debug (\d+) (\d+) .*"Stop what the agent evaluates, and nothing else\."\)/s,
    );
    const restarts = [...debug.matchAll(/\("\*?[A-Z]+" "[^"]*"\)/g)];
    void user.call(`invoke-nth-restart-for-emacs ${level} ${restarts.length - 1}`, thread).catch(() => {});
    expect((await answer).content[0].text).toContain(
      'The code, or the user in the debugger, invoked the restart ABORT.',
    );
    expect(await evaluate('(1+ *kept*)')).toBe('=> 42');
    user.close();
  });

  it('the user kills the thread of the agent, whose next call has another', async () => {
    const { answer, user, index } = await startLoop();
    await user.call(`kill-nth-thread ${index}`);
    expect((await answer).content[0].text).toContain('[SESSION LOST] The connection to the Lisp ended.');
    expect(await evaluate('(1+ *kept*)')).toContain('=> 42');
    user.close();
  });

  it('a wrong secret is said', async () => {
    const other = temporaryFolder();
    writeFileSync(join(other, secretFile), 'not the secret\n');
    lisp = startLisp(['--attach', `${prefix}127.0.0.1:${port}`], { ...cache, HOME: other });
    await greet(lisp);
    expect(await evaluate('1')).toContain(`Is ~/${secretFile} right?`);
  });
});

it('--attach says when no Swank is there', async () => {
  await start(['--attach', '127.0.0.1:1']);
  expect(await evaluate('1')).toMatch(/^The Lisp could not be started: Swank at 127\.0\.0\.1:1 can't be reached/);
});
