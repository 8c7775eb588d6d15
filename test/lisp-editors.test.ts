// Resources and prompts of the server, and Swank in the image of a session.
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { greet, type LispProgram, makeCache, startLisp } from './lisp-program.ts';
import { SwankClient } from './lisp-swank-client.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let cache: ReturnType<typeof makeCache>;
let home: string;
let lisp: LispProgram;

beforeAll(() => {
  cache = makeCache();
  home = realpathSync(mkdtempSync(join(tmpdir(), 'hawser-lisp-home-')));
});
afterAll(() => {
  cache.remove();
  rmSync(home, { recursive: true, force: true });
});
afterEach(() => lisp?.close());

async function start(args: string[] = []): Promise<void> {
  lisp = startLisp(['--cwd', home, ...args], { ...cache.env, HOME: home });
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
  it('are listed as templates', async () => {
    await start();
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

  it('keep the output that the answer of a load leaves out', async () => {
    writeFileSync(join(home, 'noisy.asd'), '(asdf:defsystem "noisy" :components ((:file "noisy")))');
    writeFileSync(join(home, 'noisy.lisp'), '(format t "~a" (make-string 5000 :initial-element #\\z))');
    await start();
    const { content, structuredContent } = await lisp.call('load-system', { system: 'noisy' });
    expect(content[0].text).toMatch(
      /^system noisy — compiled 1 file and loaded\n; \d+ characters of output: read lisp:\/\/sessions\/default\/output/,
    );
    expect(JSON.stringify(structuredContent).length).toBeLessThan(500);
    expect(await read('default', 'output')).toContain('z'.repeat(5000));
    const full = await lisp.call('load-system', { system: 'noisy', output: 'full' });
    expect(full.content[0].text).toMatch(/^system noisy — was loaded already/);
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
