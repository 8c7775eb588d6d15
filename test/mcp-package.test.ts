import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { build } from 'esbuild';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const home = join(root, 'packages', 'mcp');
const { exports } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
  exports: Record<string, { readonly '@hawser/source': string; readonly default: string }>;
};

let folder: string;
let tarball: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hawser-package-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: home });
  tarball = join(folder, JSON.parse(stdout)[0].filename);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the package @hawser/mcp', () => {
  it('passes publint', async () => {
    const file = await readFile(tarball);
    const { messages } = await publint({ pack: { tarball: new Uint8Array(file).buffer }, strict: true });
    expect(messages).toEqual([]);
  });

  it('passes attw: its types are found and match its modules', async () => {
    const attw = join(root, 'node_modules', '.bin', 'attw');
    await expect(run(attw, [tarball, '--profile', 'esm-only', '--format', 'json'])).resolves.toBeDefined();
  });

  it('holds its entries, their types and their source maps with sources, and nothing else of the build', async () => {
    const { stdout } = await run('tar', ['-tzf', tarball]);
    const files = stdout.trim().split('\n');
    for (const { default: file } of Object.values(exports)) {
      const name = file.replace('./', 'package/');
      expect(files).toContain(name);
      expect(files).toContain(name.replace('.js', '.d.ts'));
      expect(files).toContain(`${name}.map`);
      const map = JSON.parse(await readFile(join(home, `${file}.map`), 'utf8'));
      expect(map.sourcesContent).toHaveLength(map.sources.length);
    }
    expect(files.filter((file) => /\.ts$|buildinfo|\.test\./.test(file) && !file.endsWith('.d.ts'))).toEqual([]);
  });

  it('compiles in a project that checks the types of its libraries', async () => {
    const modules = join(folder, 'node_modules');
    await mkdir(join(modules, '@hawser', 'mcp'), { recursive: true });
    await run('tar', ['-xzf', tarball, '-C', join(modules, '@hawser', 'mcp'), '--strip-components=1']);
    for (const name of ['ajv', 'ws', '@standard-schema', '@types/node', 'undici-types']) {
      await mkdir(join(modules, name, '..'), { recursive: true });
      await symlink(join(root, 'node_modules', name), join(modules, name));
    }
    const entries = Object.keys(exports).map(
      (entry, n) => `import * as entry${n} from '@hawser/mcp${entry.slice(1)}';`,
    );
    const uses = entries.map((_, n) => `console.log(entry${n});`);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'program.ts'), [...entries, ...uses].join('\n'));
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2022'],
      types: ['node'],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    const tsc = join(root, 'node_modules', '.bin', 'tsc');
    await expect(run(tsc, ['-p', folder])).resolves.toEqual({ stdout: '', stderr: '' });
  });

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
});

describe('what needs no Node', () => {
  const PORTABLE = ['.', './client', './fetch'].filter((entry) => entry in exports);

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
