import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const home = join(root, 'packages', 'mcp');
const { exports } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
  exports: Record<string, { readonly '@hawser/source': string; readonly default: string }>;
};

describe('the package @hawser/mcp', () => {
  it('prints a short error, at a readable line, when a program makes a mistake', async () => {
    const program = `
      import { Server } from '@hawser/mcp';
      const server = new Server({ name: 'twice', version: '1' });
      server.tool({ name: 'echo' }, () => 'one');
      server.tool({ name: 'echo' }, () => 'two');
    `;
    const failed = run(process.execPath, ['--input-type=module', '-e', program], { cwd: root });
    const { stderr } = await failed.then(
      () => expect.unreachable(),
      (error: { stderr: string }) => error,
    );
    expect(stderr).toContain('echo');
    expect(stderr.length).toBeLessThan(2000);
    expect(Math.max(...stderr.split('\n').map(({ length }) => length))).toBeLessThan(300);
  });

  it('keeps stdout for the messages of a stdio server: what the program prints goes to stderr', async () => {
    const program = `
      import { Server } from '@hawser/mcp';
      import { serveStdio } from '@hawser/mcp/stdio';
      const session = serveStdio(new Server({ name: 'chatty', version: '1' }));
      console.log('printed');
      process.stdout.write('written, ', 'utf8', () => process.stdout.write('called back', () => session.close()));
    `;
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: root });
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: 'printed\nwritten, called back' });
  });

  it('has each class of errors that an entry exports once, so that instanceof works between entries', async () => {
    const files = Object.values(exports).map((entry) => join(home, entry.default));
    const modules: Record<string, unknown>[] = await Promise.all(files.map((file) => import(file)));
    const isError = (value: unknown) => typeof value === 'function' && value.prototype instanceof Error;
    const exported = modules.flatMap((module) => Object.keys(module).filter((name) => isError(module[name])));
    expect(exported).toEqual(expect.arrayContaining(['RpcError', 'HttpError', 'StoreUnavailable']));
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    const definitions = (name: string) => texts.filter((text) => new RegExp(`^var ${name} = class `, 'm').test(text));
    expect([...new Set(exported)].filter((name) => definitions(name).length !== 1)).toEqual([]);
  });
});

describe('the entries', () => {
  it.each(['./stdio', './http', './websocket', './fetch'])('%s exports all of the main one', async (entry) => {
    const [main, other] = await Promise.all(
      ['.', entry].map((name) => import(join(home, exports[name]?.default ?? ''))),
    );
    expect(other).toMatchObject({ ...main });
    expect(other.RpcError).toBe(main.RpcError);
    expect(other.Server).toBe(main.Server);
  });
});

describe('what needs no Node', () => {
  const PORTABLE = ['.', './client', './fetch', './oauth', './oauth-server', './redis'].filter(
    (entry) => entry in exports,
  );

  it.each(PORTABLE)('the entry %s imports no Node built-in', async (entry) => {
    const { metafile } = await bundle([entry]);
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
    expect(imports.filter(({ external, path }) => external || path.startsWith('node:'))).toEqual([]);
  });

  it('a server and a client run where there is no Buffer, process, setImmediate or require', async () => {
    const { text } = await bundle(['.', './client']);
    const log: string[] = [];
    const web = { queueMicrotask, setTimeout, clearTimeout, TextEncoder, TextDecoder, atob, btoa, crypto, performance };
    const context = vm.createContext({ ...web, AbortController, AbortSignal, URL, console, log });
    vm.runInContext(text, context);
    await vm.runInContext(CONVERSATION, context);
    expect(log).toEqual(['tools: echo', 'echo: hello', 'wrong: true', 'asked: yes']);
  });
});

/** Run in a context of its own, where the bundle has left `mcp`. */
const CONVERSATION = `(async () => {
  const { Client, memoryPair, Server } = mcp;
  const server = new Server({ name: 'bare', version: '1' });
  const inputSchema = { type: 'object', properties: { text: { type: 'string', pattern: '^[a-z]+$' } }, required: ['text'] };
  server.tool({ name: 'echo', inputSchema }, ({ text }) => text);
  server.tool({ name: 'ask' }, async (_args, context) => {
    const { action } = await context.elicit({ message: 'Sure?', requestedSchema: { type: 'object', properties: {} } });
    return action === 'accept' ? 'yes' : 'no';
  });
  const [serverEnd, clientEnd] = memoryPair();
  server.connect(serverEnd);
  const elicit = () => ({ action: 'accept', content: {} });
  const session = await new Client({ name: 'bare', version: '1' }, { elicit }).connect(clientEnd);
  log.push('tools: ' + (await session.listTools()).map(({ name }) => name)[0]);
  log.push('echo: ' + (await session.callTool('echo', { text: 'hello' })).content[0].text);
  log.push('wrong: ' + (await session.callTool('echo', { text: 'HELLO' })).isError);
  log.push('asked: ' + (await session.callTool('ask', {})).content[0].text);
  await session.close();
  await server.close();
})()`;

/** Entries with everything they import, in one script that leaves them in the global \`mcp\`. */
async function bundle(entries: readonly string[]) {
  const contents = entries.map((entry) => `export * from '${exports[entry]?.['@hawser/source']}';`).join('\n');
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: home },
    bundle: true,
    write: false,
    metafile: true,
    format: 'iife',
    globalName: 'mcp',
    platform: 'browser',
    target: 'es2022',
  });
  return { metafile, text: outputFiles[0]?.text ?? '' };
}
