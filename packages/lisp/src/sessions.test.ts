import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryEngine } from '../testing/memory-engine.ts';
import { type Limits, Sessions } from './sessions.ts';

let engine: MemoryEngine;
let clock: number;

beforeEach(() => {
  engine = new MemoryEngine();
  clock = 1_000_000;
});

const make = (limits: Partial<Limits> = {}) => new Sessions(engine, { limits, now: () => clock });

const evaluate = (code: string, rest: { timeout?: number; signal?: AbortSignal; onError?: 'break' } = {}) => {
  const { onError, ...call } = rest;
  return { operation: { kind: 'evaluate', code, ...(onError && { onError }) } as const, ...call };
};

const codesOf = (index: number) =>
  engine.started[index]?.performed.map((operation) =>
    operation.kind === 'evaluate' ? operation.code : operation.kind,
  );

async function values(sessions: Sessions, name: string, code: string) {
  return (await sessions.perform(name, evaluate(code))).outcome.values;
}

describe('a session', () => {
  it('is started by its first call and keeps its state', async () => {
    const sessions = make();
    expect(engine.started).toHaveLength(0);
    const answer = await sessions.perform('default', evaluate('set 42'));
    expect(answer).toMatchObject({ session: 'default', engine: 'Memory 1', notes: [] });
    expect(await values(sessions, 'default', 'get')).toEqual(['42']);
    expect(engine.started).toHaveLength(1);
  });

  it('is its own: another one knows nothing of it and runs beside it', async () => {
    const sessions = make();
    const begun = engine.begun('hang');
    const hanging = sessions.perform('a', evaluate('hang'));
    await begun;
    expect(await values(sessions, 'b', 'get')).toEqual(['nothing']);
    sessions.interrupt('a');
    expect((await hanging).outcome.interrupted).toBe('request');
  });

  it('performs its calls in the order they came, one at a time', async () => {
    const sessions = make();
    const begun = engine.begun('hang');
    const hanging = sessions.perform('default', evaluate('hang'));
    await begun;
    const later = [sessions.perform('default', evaluate('set 1')), sessions.perform('default', evaluate('get'))];
    expect(sessions.list()).toMatchObject([{ name: 'default', state: 'busy', waiting: 2 }]);
    expect(codesOf(0)).toEqual(['hang']);
    sessions.interrupt('default');
    await Promise.all([hanging, ...later]);
    expect(codesOf(0)).toEqual(['hang', 'set 1', 'get']);
  });

  it('lets calls wait, as many as fit into memory', async () => {
    const sessions = new Sessions(engine, { maxWaitingBytes: 1_000_000 });
    const begun = engine.begun('hang');
    const all = [sessions.perform('default', evaluate('hang'))];
    await begun;
    for (let n = 0; n < 500; n += 1) all.push(sessions.perform('default', evaluate('get')));
    await expect(sessions.perform('default', evaluate('x'.repeat(600_000)))).rejects.toThrow(
      'Too much waits in session default: more than 1000000 bytes. Wait for answers, call interrupt, or use another session.',
    );
    sessions.interrupt('default');
    await Promise.all(all);
    // What has run takes no room.
    expect(await values(sessions, 'default', `echo ${'x'.repeat(600_000)}`)).toHaveLength(1);
  });

  it('gives a call its own timeout, or the usual one', async () => {
    const sessions = make({ timeout: 5 });
    expect((await sessions.perform('default', evaluate('hang'))).outcome.interrupted).toBe('timeout');
    sessions.configure({ timeout: 0 });
    expect((await sessions.perform('default', evaluate('hang', { timeout: 5 }))).outcome.interrupted).toBe('timeout');
  });

  it('whose start fails says why, and is started again by the next call', async () => {
    const sessions = make();
    engine.nextStart = Promise.reject(new Error('no such heap'));
    await expect(sessions.perform('default', evaluate('get'))).rejects.toThrow('no such heap');
    expect(sessions.list()).toEqual([]);
    expect(await values(sessions, 'default', 'get')).toEqual(['nothing']);
  });

  it('is refused in one sentence when there is no Lisp', async () => {
    engine.absence = 'Install a Lisp.';
    expect(() => make().perform('default', evaluate('get'))).toThrow('Install a Lisp.');
    expect(engine.starts).toEqual([]);
  });

  it.each(['', 'a b', 'x'.repeat(65), 'a\n', '\u0000'])('cannot be named %j', async (name) => {
    expect(() => make().perform(name, evaluate('get'))).toThrow(/^Not a session name/);
  });
});

describe('a cancelled call', () => {
  it('never runs when it was still waiting', async () => {
    const sessions = make();
    const begun = engine.begun('hang');
    const hanging = sessions.perform('default', evaluate('hang'));
    await begun;
    const cancel = new AbortController();
    const waiting = sessions.perform('default', evaluate('set cancelled', { signal: cancel.signal }));
    const next = sessions.perform('default', evaluate('get'));
    cancel.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    sessions.interrupt('default');
    await hanging;
    expect((await next).outcome.values).toEqual(['nothing']);
    expect(codesOf(0)).toEqual(['hang', 'get']);
  });

  it('never runs when its Lisp was still starting, and the Lisp serves the next', async () => {
    const sessions = make();
    let go = () => {};
    engine.nextStart = new Promise((resolve) => {
      go = resolve;
    });
    const cancel = new AbortController();
    const cancelled = sessions.perform('default', evaluate('set cancelled', { signal: cancel.signal }));
    expect(sessions.list()).toMatchObject([{ state: 'starting' }]);
    cancel.abort(new Error('cancelled'));
    await expect(cancelled).rejects.toThrow('cancelled');
    const next = sessions.perform('default', evaluate('get'));
    go();
    expect((await next).outcome.values).toEqual(['nothing']);
    expect(engine.started).toHaveLength(1);
    expect(codesOf(0)).toEqual(['get']);
  });

  const cancelRunning = async (sessions: Sessions) => {
    const cancel = new AbortController();
    const begun = engine.begun('hang');
    const hanging = sessions.perform('default', evaluate('hang', { signal: cancel.signal }));
    await begun;
    cancel.abort(new Error('cancelled'));
    await expect(hanging).rejects.toThrow('cancelled');
  };

  it('is interrupted when it runs, and the session goes on', async () => {
    const sessions = make();
    await values(sessions, 'default', 'set kept');
    await cancelRunning(sessions);
    expect(await values(sessions, 'default', 'get')).toEqual(['kept']);
  });

  it('that had to be killed costs the session its Lisp, and the next answer says so', async () => {
    const sessions = make();
    const cancel = new AbortController();
    const begun = engine.begun('stuck');
    const stuck = sessions.perform('default', evaluate('stuck', { signal: cancel.signal }));
    await begun;
    const next = sessions.perform('default', evaluate('get'));
    cancel.abort(new Error('cancelled'));
    await expect(stuck).rejects.toThrow('cancelled');
    expect(await next).toMatchObject({ outcome: { ok: true }, notes: [expect.stringContaining('was lost')] });
  });

  it('before it was made is refused at once', async () => {
    const reason = new Error('cancelled before');
    await expect(make().perform('default', evaluate('get', { signal: AbortSignal.abort(reason) }))).rejects.toBe(
      reason,
    );
    expect(engine.starts).toEqual([]);
  });

  it('leaves the news of a loss to the next', async () => {
    const sessions = make();
    await sessions.perform('default', evaluate('exit'));
    await cancelRunning(sessions);
    expect((await sessions.perform('default', evaluate('get'))).notes).toEqual([expect.stringContaining('was lost')]);
  });
});

describe('a lost Lisp', () => {
  it('is mentioned by the call that lost it and by the next one, which has a fresh one', async () => {
    const sessions = make({ timeout: 5 });
    await values(sessions, 'default', 'set before');
    const { outcome: losing, notes: losingNotes } = await sessions.perform('default', evaluate('stuck'));
    expect([losing.lost?.kind, losingNotes]).toEqual(['timeout', []]);
    const { outcome, notes } = await sessions.perform('default', evaluate('get'));
    expect(outcome.values).toEqual(['nothing']);
    expect(notes).toEqual([
      'The Lisp of session default was lost (It was killed after the timeout). This is a fresh one: all definitions are gone.',
    ]);
    expect((await sessions.perform('default', evaluate('get'))).notes).toEqual([]);
  });

  it('is noticed between calls', async () => {
    const sessions = make();
    await values(sessions, 'default', 'get');
    engine.started[0]?.end({ kind: 'crashed', message: 'Killed from outside.' });
    await Promise.resolve();
    expect(sessions.list()).toEqual([]);
    expect((await sessions.perform('default', evaluate('get'))).notes).toEqual([
      expect.stringContaining('Killed from outside'),
    ]);
  });

  it('for the third time within 300 seconds keeps its session from starting until the first is that long ago', async () => {
    const sessions = make();
    for (const wait of [0, 100_000, 100_000]) {
      clock += wait;
      await sessions.perform('default', evaluate('exit'));
    }
    await expect(sessions.perform('default', evaluate('get'))).rejects.toThrow(
      `Session default was lost 3 times within 300 seconds, so it is not started again before ${new Date(1_300_000).toISOString()} (in 100 s)`,
    );
    await expect(sessions.reset('default')).rejects.toThrow('not started again before');
    expect(await values(sessions, 'other', 'get')).toEqual(['nothing']);
    clock += 99_999;
    await expect(sessions.perform('default', evaluate('get'))).rejects.toThrow('not started again before');
    clock += 1;
    expect(await values(sessions, 'default', 'get')).toEqual(['nothing']);
    await sessions.perform('default', evaluate('exit'));
    await expect(sessions.perform('default', evaluate('get'))).rejects.toThrow('not started again before');
  });

  it('counts although its session was closed in between', async () => {
    const sessions = make();
    await sessions.perform('default', evaluate('exit'));
    await sessions.perform('default', evaluate('exit'));
    await values(sessions, 'default', 'get');
    await sessions.close('default');
    await sessions.perform('default', evaluate('exit'));
    await expect(sessions.perform('default', evaluate('get'))).rejects.toThrow('not started again before');
  });

  it('three times in more than 300 seconds keeps nothing from starting', async () => {
    const sessions = make();
    for (const wait of [0, 150_000, 150_000]) {
      clock += wait;
      await sessions.perform('default', evaluate('exit'));
    }
    expect(await values(sessions, 'default', 'get')).toEqual(['nothing']);
  });
});

describe('reset', () => {
  it('is a fresh Lisp; what runs is answered with its end, what waits is refused', async () => {
    const sessions = make();
    await values(sessions, 'default', 'set old');
    const begun = engine.begun('stuck');
    const running = sessions.perform('default', evaluate('stuck', { timeout: 0 }));
    await begun;
    const waiting = sessions.perform('default', evaluate('get'));
    const refused = expect(waiting).rejects.toThrow('Session default was reset, so this call did not run.');
    expect(await sessions.reset('default')).toEqual({ engine: 'Memory 1', hadLisp: true });
    expect((await running).outcome.lost).toMatchObject({ kind: 'closed' });
    await refused;
    const { outcome, notes } = await sessions.perform('default', evaluate('get'));
    expect(outcome.values).toEqual(['nothing']);
    expect(notes).toEqual([]);
    expect(engine.started.map(({ closed }) => closed)).toEqual([true, false]);
  });

  it('of a Lisp that is still starting ends that one as soon as it has started', async () => {
    const sessions = make();
    let go = () => {};
    engine.nextStart = new Promise((resolve) => {
      go = resolve;
    });
    const waiting = sessions.perform('default', evaluate('get'));
    const refused = expect(waiting).rejects.toThrow('was reset, so');
    const reset = sessions.reset('default');
    go();
    await refused;
    await reset;
    expect(engine.started.map(({ closed }) => closed).sort()).toEqual([false, true]);
  });

  it('of a session that never was starts it', async () => {
    expect(await make().reset('new')).toEqual({ engine: 'Memory 1', hadLisp: false });
  });
});

describe('the number of sessions', () => {
  it('is limited, and closing one makes room', async () => {
    const sessions = make({ maxSessions: 2 });
    await values(sessions, 'a', 'get');
    await values(sessions, 'b', 'get');
    expect(() => sessions.perform('c', evaluate('get'))).toThrow(
      'Session limit reached (2: a, b). Use one of them, or close one with close-session.',
    );
    await sessions.close('a');
    expect(engine.started[0]?.closed).toBe(true);
    expect(await values(sessions, 'c', 'get')).toEqual(['nothing']);
  });

  it('does not count those whose Lisp is gone', async () => {
    const sessions = make({ maxSessions: 2 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) await sessions.perform(name, evaluate('exit'));
    expect(await values(sessions, 'f', 'get')).toEqual(['nothing']);
  });

  it('of none is said when one is closed or interrupted that is not there', async () => {
    const sessions = make();
    await expect(sessions.close('x')).rejects.toThrow('There is no session "x". No session is running.');
    await values(sessions, 'a', 'get');
    expect(() => sessions.interrupt('x')).toThrow('There is no session "x". Running: a.');
    expect(sessions.interrupt('a')).toBe('nothing-runs');
  });
});

describe('an idle session', () => {
  it('is ended after a while, and the next answer says so', async () => {
    const sessions = make({ idle: 5 });
    await values(sessions, 'default', 'set old');
    expect(await engine.started[0]?.lost).toMatchObject({ kind: 'closed' });
    const { outcome, notes } = await sessions.perform('default', evaluate('get'));
    expect(outcome.values).toEqual(['nothing']);
    expect(notes).toEqual([expect.stringMatching(/was ended after 0 seconds without a call/)]);
  });

  it('is ended after another while when that is changed meanwhile', async () => {
    const sessions = make({ idle: 0 });
    await values(sessions, 'default', 'get');
    sessions.configure({ idle: 5 });
    expect(await engine.started[0]?.lost).toMatchObject({ kind: 'closed' });
  });

  it('is not idle while a call runs', async () => {
    const sessions = make({ idle: 5 });
    await values(sessions, 'default', 'set kept');
    await sessions.perform('default', evaluate('hang', { timeout: 30 }));
    sessions.configure({ idle: 0 });
    expect(await values(sessions, 'default', 'get')).toEqual(['kept']);
  });
});

describe('the debugger', () => {
  const locals = { operation: { kind: 'debug', action: { do: 'locals', frame: 0 } } } as const;
  const abort = { operation: { kind: 'debug', action: { do: 'abort' } } } as const;

  it('stays open until it is left', async () => {
    const sessions = make();
    expect((await sessions.perform('default', evaluate('error', { onError: 'break' }))).outcome.debugging).toBe(true);
    expect(sessions.list()).toMatchObject([{ state: 'debugging' }]);
    await sessions.perform('default', locals);
    expect(sessions.list()).toMatchObject([{ state: 'debugging' }]);
    await sessions.perform('default', abort);
    expect(sessions.list()).toMatchObject([{ state: 'idle' }]);
    await expect(sessions.perform('default', abort)).rejects.toThrow(/No error is open/);
  });

  it('cannot be used when it is not open, and starts no Lisp for that', async () => {
    const sessions = make();
    await expect(sessions.perform('default', abort)).rejects.toThrow(/No error is open in session default/);
    expect(engine.starts).toEqual([]);
  });
});

describe('the end of the server', () => {
  it('ends every Lisp, answers what runs, and refuses what comes later', async () => {
    const sessions = make();
    const begun = engine.begun('stuck');
    const running = sessions.perform('a', evaluate('stuck', { timeout: 0 }));
    await begun;
    await values(sessions, 'b', 'get');
    await Promise.all([sessions.closeAll(), sessions.closeAll()]);
    expect((await running).outcome.lost).toMatchObject({ kind: 'closed' });
    expect(engine.started.map(({ closed }) => closed)).toEqual([true, true]);
    expect(() => sessions.perform('a', evaluate('get'))).toThrow('The server is ending.');
  });
});

describe('a limit from the start', () => {
  it('can be lowered, and raised again up to that', () => {
    const sessions = make({ maxSessions: 2, heapMegabytes: 256 });
    const lowered = { heapMegabytes: 128, maxSessions: 1 };
    expect(sessions.configure(lowered)).toMatchObject(lowered);
    expect(() => sessions.configure({ heapMegabytes: 257 })).toThrow(
      'At most 256 MB of heap are allowed. Only the user can raise it: --heap.',
    );
    expect(() => sessions.configure({ maxSessions: 3 })).toThrow(
      'At most 2 sessions are allowed. Only the user can raise it: --max-sessions.',
    );
    expect(sessions.limits).toMatchObject(lowered);
    expect(sessions.configure({ maxSessions: 2 })).toMatchObject({ maxSessions: 2 });
  });

  it('is also one that was not given', () => {
    const sessions = make();
    expect(() => sessions.configure({ heapMegabytes: 513 })).toThrow('At most 512 MB');
    expect(() => sessions.configure({ maxSessions: 9 })).toThrow('At most 8 sessions');
  });
});

it('Lisps are started with the heap that is configured by then', async () => {
  const sessions = new Sessions(engine, { start: { cwd: '/', load: ['a.lisp'] } });
  await values(sessions, 'a', 'get');
  sessions.configure({ heapMegabytes: 64 });
  await values(sessions, 'b', 'get');
  expect(engine.starts.map(({ heapMegabytes }) => heapMegabytes)).toEqual([512, 64]);
  expect(engine.starts[0]).toMatchObject({ cwd: '/', load: ['a.lisp'] });
});

it('a load and a test have a timeout of their own', async () => {
  const sessions = make({ timeout: 5, loadTimeout: 60_000 });
  await values(sessions, 'default', 'get');
  await sessions.perform('default', { operation: { kind: 'load-system', system: 'x' } });
  await sessions.perform('default', { operation: { kind: 'test-system', system: 'x' }, timeout: 7 });
  await sessions.perform('default', { operation: { kind: 'list-definitions' } });
  sessions.configure({ timeout: 9, loadTimeout: 8 });
  await sessions.perform('default', { operation: { kind: 'load-system', system: 'x' } });
  expect(engine.started[0]?.timeouts).toEqual([5, 60_000, 7, 5, 8]);
});

it('folders that are added later reach Lisps that run already, before their next call', async () => {
  const sessions = new Sessions(engine, { start: { projects: ['/a'] } });
  await values(sessions, 'default', 'get');
  sessions.addProjects(['/a', '/b']);
  await values(sessions, 'default', 'get');
  await values(sessions, 'default', 'get');
  await values(sessions, 'other', 'get');
  expect(codesOf(0)).toEqual(['get', 'set-projects', 'get', 'get']);
  expect(engine.started[0]?.performed[1]).toEqual({ kind: 'set-projects', folders: ['/a', '/b'] });
  expect(engine.starts.map(({ projects }) => projects)).toEqual([['/a'], ['/a', '/b']]);
});

describe('folders that are added while a Lisp runs', () => {
  const added = async () => {
    const sessions = new Sessions(engine, { start: { projects: ['/a'] }, now: () => clock });
    await values(sessions, 'default', 'set kept');
    sessions.addProjects(['/b']);
    return sessions;
  };

  it('and can not be set are said in the answer, and tried again by the next call', async () => {
    const sessions = await added();
    engine.instead.set('set-projects', 'error');
    const { outcome, notes } = await sessions.perform('default', evaluate('get'));
    expect(outcome.values).toEqual(['kept']);
    expect(notes).toEqual(['ASDF does not know the folders /a, /b: oops']);
    expect((await sessions.perform('default', evaluate('get'))).notes).toEqual([]);
    expect(codesOf(0)).toEqual(['set kept', 'set-projects', 'get', 'set-projects', 'get']);
  });

  it('do not keep a call from being cancelled', async () => {
    const sessions = await added();
    engine.instead.set('set-projects', 'hang');
    const begun = engine.begun('hang');
    const cancel = new AbortController();
    const call = sessions.perform('default', evaluate('get', { signal: cancel.signal }));
    await begun;
    cancel.abort(new Error('cancelled'));
    await expect(call).rejects.toThrow('cancelled');
    expect(codesOf(0)).toEqual(['set kept', 'set-projects']);
  });

  it('do not keep a call from being interrupted', async () => {
    const sessions = await added();
    engine.instead.set('set-projects', 'hang');
    const begun = engine.begun('hang');
    const call = sessions.perform('default', evaluate('get'));
    await begun;
    sessions.interrupt('default');
    expect((await call).outcome.interrupted).toBe('request');
    expect(codesOf(0)).toEqual(['set kept', 'set-projects']);
  });

  it('take no output from the call', async () => {
    const sessions = await added();
    engine.instead.set('set-projects', 'print of a thread, ');
    expect((await sessions.perform('default', evaluate('print of the call'))).outcome.stdout).toBe(
      'of a thread, of the call',
    );
  });

  it('and lose the Lisp leave the call to a fresh one', async () => {
    const sessions = await added();
    engine.instead.set('set-projects', 'exit');
    const { outcome, notes } = await sessions.perform('default', evaluate('get'));
    expect(outcome.values).toEqual(['nothing']);
    expect(notes).toEqual([expect.stringContaining('was lost')]);
  });
});

it('a failure of the server interrupts what runs, and the answer says so', async () => {
  const sessions = make();
  await values(sessions, 'default', 'set kept');
  const begun = engine.begun('hang');
  const hanging = sessions.perform('default', evaluate('hang', { timeout: 0 }));
  await begun;
  sessions.serverFailed('a bug');
  const { outcome, notes } = await hanging;
  expect(outcome.interrupted).toBe('request');
  expect(notes).toEqual(['The server failed while the call ran (a bug), so the call was interrupted.']);
  expect(await values(sessions, 'default', 'get')).toEqual(['kept']);
  expect((await sessions.perform('default', evaluate('get'))).notes).toEqual([]);
});

it('the first answer of each Lisp has the note about its start', async () => {
  const sessions = new Sessions(engine, { startNote: ({ engine: name }) => `Started ${name}.` });
  const notes = async () => (await sessions.perform('default', evaluate('get'))).notes;
  expect([await notes(), await notes()]).toEqual([['Started Memory 1.'], []]);
  await sessions.reset('default');
  expect([await notes(), await notes()]).toEqual([['Started Memory 1.'], []]);
});
