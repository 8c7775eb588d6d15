import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { childrenOf, commandOf, receivedBy, scriptedServer } from '../../../../testing/language-programs.ts';
import { hasEnded } from '../../../../testing/neovim/processes.ts';
import { temporaryFolders } from '../../../../testing/workspace-folder.ts';
import type { FoundProgram } from './find-programs.ts';
import { LanguageServer, type LanguageServerOptions } from './language-server.ts';
import type { ServerRow } from './program-table.ts';

const makeFolder = temporaryFolders();
const open: LanguageServer[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

interface Started {
  readonly server: LanguageServer;
  readonly folder: string;
  readonly changes: string[];
  readonly problems: string[];
  diagnose(text?: string, ms?: number): Promise<void>;
  messages(): string[];
  hover(ms?: number): Promise<unknown>;
}

async function start(mode: string, options: Partial<LanguageServerOptions> = {}, capabilities = {}): Promise<Started> {
  const folder = await makeFolder();
  const row = scriptedServer(join(folder, 'bin'), mode, capabilities);
  const path = join(folder, 'a.lua');
  await writeFile(path, 'one\n');
  const [changes, problems]: [string[], string[]] = [[], []];
  const program: FoundProgram & { readonly row: ServerRow } = {
    row,
    path: join(folder, 'bin', 'scripted'),
    folder,
    version: undefined,
  };
  const server = new LanguageServer({
    program,
    onChange: (paths) => changes.push(...paths),
    onProblem: (problem) => problems.push(problem.message),
    onRefresh: () => {},
    refuseStart: () => undefined,
    ...options,
  });
  open.push(server);
  const text = { path, languageId: 'lua', isSaved: true };
  return {
    server,
    folder,
    changes,
    problems,
    diagnose: (given = 'one\n', ms = 5000) =>
      server.diagnose({ ...text, text: given, generation: 0 }, AbortSignal.timeout(ms)),
    messages: () => (server.known.get(path) ?? []).map(({ message }) => message),
    hover: (ms = 5000) =>
      server.request(
        'textDocument/hover',
        { texts: [{ ...text, text: 'one\n' }], params: { textDocument: { uri: `file://${path}` } } },
        AbortSignal.timeout(ms),
      ),
  };
}

describe('a language server', () => {
  it('is not started before it is needed, and its version is known then', async () => {
    const { server, hover } = await start('good');
    expect(server.status()).toMatchObject({ state: 'not started', version: undefined });
    const answer = hover();
    expect(server.status().state).toBe('starting');
    expect(await answer).toEqual({ contents: 'a hover' });
    expect(server.status()).toMatchObject({ state: 'running', version: '1.2.3', languages: ['lua'] });
  });

  it('that publishes in steps is waited for, until it works no more', async () => {
    const { diagnose, messages, changes, folder } = await start('good');
    await diagnose();
    expect(messages()).toEqual(['found late']);
    expect(changes).toEqual([join(folder, 'a.lua')]);
  });

  it('gets a changed text with a new version, and nothing when nothing has changed', async () => {
    const { diagnose, messages, folder } = await start('good');
    await diagnose();
    await diagnose('two\n');
    expect(messages()).toEqual(['version 2']);
    await diagnose('two\n');
    const methods = receivedBy(folder).map(({ method }) => method);
    expect(methods.filter((method) => String(method).startsWith('textDocument/'))).toEqual([
      'textDocument/didOpen',
      'textDocument/didChange',
      'textDocument/didSave',
    ]);
  });

  it('is answered when it asks, and may not edit', async () => {
    const { hover, folder } = await start('ask');
    await hover();
    await expect.poll(() => receivedBy(folder).filter(({ method }) => method === undefined)).toHaveLength(5);
    const answers = new Map(receivedBy(folder).map(({ id, result, error }) => [id, result ?? error]));
    expect(answers.get('a')).toEqual([null, null]);
    expect(answers.get('b')).toMatchObject({ applied: false });
    expect(answers.get('e')).toMatchObject({ code: -32_601 });
  });

  it('that does not offer a method is not asked', async () => {
    const { hover, server } = await start('good', {}, { hoverProvider: false });
    await expect(hover()).rejects.toThrow(`${server.status().name} does not offer textDocument/hover`);
  });
});

describe('a language server that', () => {
  it.each([
    ['reads nothing', 'end-at-once', {}, /ended with exit code 2: not today/],
    ['crashes at its start', 'crash-at-start', {}, /ended with exit code 3: no licence found/],
    ['refuses to initialize', 'refuse', {}, /no project here/],
    ['hangs at its start', 'hang', {}, /did not answer within 0.2 seconds/],
    ['counts columns in bytes', 'good', { positionEncoding: 'utf-8' }, /counts columns in utf-8/],
  ])('%s fails with the reason', async (_, mode, capabilities, problem) => {
    const { server, diagnose } = await start(mode, { startMs: mode === 'hang' ? 200 : 10_000 }, capabilities);
    await expect(diagnose()).rejects.toThrow(problem);
    expect(server.status()).toMatchObject({ state: 'failed', problem: expect.stringMatching(problem) });
  });

  it.each([
    ['crashes later', 'crash', /ended with exit code 4/],
    ['prints to stdout', 'print', /not a message: "Welcome/],
    ['announces a huge message', 'huge', /99999999999 bytes/],
    ['floods', 'flood', /more than 2000 messages within/],
  ])('%s ends with the reason, and its diagnostics go', async (_, mode, problem) => {
    const limits = { maxMessageBytes: 1_000_000, maxMessages: 2000 };
    const { server, diagnose, problems, messages } = await start(mode, { limits });
    await expect(diagnose()).rejects.toThrow(problem);
    expect(server.status()).toMatchObject({ state: 'failed', problem: expect.stringMatching(problem) });
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(messages()).toEqual([]);
  });

  it('crashes is started again, three times, and then refused for a while', async () => {
    const { server, hover, folder } = await start('crash-on-hover');
    for (let round = 0; round < 3; round += 1) await expect(hover()).rejects.toThrow('exit code 5');
    await expect(hover()).rejects.toThrow(/failed 3 times within 3 minutes .*exit code 5/);
    expect(server.status().problem).toMatch(/is not started again/);
    expect(receivedBy(folder).filter(({ method }) => method === 'initialize')).toHaveLength(3);
  });

  it('answers nothing ends no wait but its own, and gets a cancellation', async () => {
    const { hover, folder, diagnose } = await start('silent');
    await expect(hover(1000)).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect.poll(() => receivedBy(folder).map(({ method }) => method)).toContain('$/cancelRequest');
    await diagnose('one\n', 500);
  });

  it('does not end when asked is killed when the editor closes', async () => {
    const { server, hover, folder } = await start('stay');
    await hover();
    const [first] = receivedBy(folder);
    expect(first).toMatchObject({ method: 'initialize', params: { processId: process.pid } });
    const pid = childrenOf(process.pid).find((child) => commandOf(child).includes(folder));
    await server.close();
    expect(pid).toBeDefined();
    await hasEnded(pid ?? 0);
    expect(receivedBy(folder).map(({ method }) => method)).toEqual(expect.arrayContaining(['shutdown', 'exit']));
  });

  it('is one too many is not started', async () => {
    const { server, hover } = await start('good', { refuseStart: () => '8 language servers run already' });
    await expect(hover()).rejects.toThrow('8 language servers run already');
    expect(server.status()).toMatchObject({ state: 'failed', problem: '8 language servers run already' });
  });
});
