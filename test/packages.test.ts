import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PackedPackage, type PackedProject, packedProject, root, run } from './packed-project.ts';

const NAMES = ['mcp', 'editor-protocol', 'bridge', 'check', 'inspect', 'lisp'] as const;
type Name = (typeof NAMES)[number];
const LIBRARIES: readonly Name[] = ['mcp', 'editor-protocol', 'bridge'];

let project: PackedProject;
beforeAll(async () => {
  project = await packedProject(NAMES);
});
afterAll(() => project?.remove());

const packed = (name: Name): PackedPackage => project.packages[NAMES.indexOf(name)] as PackedPackage;
const bin = (name: string) => join(project.folder, 'node_modules', '.bin', name);

describe.each(NAMES)('what npm publishes of packages/%s', (name) => {
  it('passes publint', async () => {
    const file = await readFile(packed(name).tarball);
    const { messages } = await publint({ pack: { tarball: new Uint8Array(file).buffer }, strict: true });
    expect(messages).toEqual([]);
  });

  it('says what it is, where it is from and on which terms', () => {
    const { json, files } = packed(name);
    expect(json).toMatchObject({
      version: '0.1.0',
      description: expect.any(String),
      keywords: expect.arrayContaining(['mcp']),
      license: 'Apache-2.0',
      repository: { type: 'git', directory: `packages/${name}` },
      engines: { node: '>=20.19' },
      scripts: { prepack: expect.stringContaining('npm run build') },
    });
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
  });

  it('holds nothing of the sources, the tests or the build, and no source map without its sources', async () => {
    const { folder, files } = packed(name);
    expect(
      files.filter((file) => /\.ts$|buildinfo|\.test\.|^build|^testing/.test(file) && !file.endsWith('.d.ts')),
    ).toEqual([]);
    for (const file of files.filter((each) => each.endsWith('.map'))) {
      const map = JSON.parse(await readFile(join(folder, file), 'utf8'));
      expect(map.sourcesContent).toHaveLength(map.sources.length);
    }
  });
});

describe.each(LIBRARIES)('the library in packages/%s', (name) => {
  it('passes attw: its types are found and match its modules', async () => {
    const attw = join(root, 'node_modules', '.bin', 'attw');
    await expect(run(attw, [packed(name).tarball, '--profile', 'esm-only', '--format', 'json'])).resolves.toBeDefined();
  });

  it('holds its entries, with types', () => {
    const { json, files } = packed(name);
    for (const { default: file } of Object.values(json.exports ?? {})) {
      if (!file.endsWith('.js')) continue;
      const entry = file.slice(2);
      expect(files).toEqual(expect.arrayContaining([entry, entry.replace('.js', '.d.ts')]));
    }
  });
});

it('hawser takes no more than 5 MiB', async () => {
  const { folder, files } = packed('bridge');
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(5 * 2 ** 20);
});

it('the bridge brings a manual page that man shows without a warning, with every command of its help', async () => {
  expect(packed('bridge').files).toContain('man/hawser.1');
  const page = join(project.folder, 'node_modules', 'hawser', 'man', 'hawser.1');
  const { stdout, stderr } = await run('man', ['--warnings', '--local-file', page], {
    env: { ...process.env, MANWIDTH: '80' },
  });
  expect(stderr).toBe('');
  const { stdout: help } = await run(bin('hawser'), ['--help']);
  const commands = [...help.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => `hawser ${name} [options]`);
  expect(commands).toContain('hawser review [options]');
  for (const command of commands) expect(stdout).toContain(command);
});

it.each(['bridge', 'check', 'inspect', 'lisp'] as const)(
  'npm can link the command of packages/%s before dist is built',
  async (name) => {
    for (const file of Object.values(packed(name).json.bin ?? {})) {
      expect(file).not.toContain('dist');
      expect((await stat(join(root, 'packages', name, file))).mode & 0o111).not.toBe(0);
    }
  },
);

it('@hawser/check alone, in an empty folder, checks a server', async () => {
  const alone = await packedProject(['check']);
  try {
    const server = join(root, 'packages', 'client', 'testing', 'trivial-server.mjs');
    const command = ['--no', 'hawser-check', '--', '--stdio', `node ${server}`, '--only', 'ping'];
    const { stdout } = await run('npx', command, { cwd: alone.folder });
    expect(stdout).toContain('trivial 1.0.0');
    expect(stdout).toContain('1 passed, 0 failed, 0 skipped.');
    expect(await readdir(join(alone.folder, 'node_modules'))).toEqual(['.bin', '.package-lock.json', '@hawser']);
  } finally {
    await alone.remove();
  }
});

describe('a project that installs the packages', () => {
  it('has the commands of all programs', async () => {
    expect((await run(bin('hawser'), ['--version'])).stdout).toBe('0.1.0\n');
    expect((await run(bin('hawser-lisp'), ['--version'])).stdout).toContain('0.1.0');
    expect((await run(bin('hawser-check'), ['--version'])).stdout).toBe('0.1.0\n');
    expect((await run(bin('hawser-inspect'), ['--version'])).stdout).toBe('0.1.0\n');
  });

  it('has one count of bytes in flight for all entries of @hawser/mcp', async () => {
    const program = `
      import { Server } from '@hawser/mcp';
      import { Client } from '@hawser/mcp/client';
      import { connectWebSocket, serveWebSocket } from '@hawser/mcp/websocket';
      const server = new Server({ name: 'asking', version: '1' });
      const { url } = await serveWebSocket(server, { port: 0 });
      const client = new Client({ name: 'full', version: '1' }, {
        negotiation: 'initialize',
        limits: { maxInFlightBytes: 1_000_000 },
        createMessage: () => new Promise(() => console.log('started')),
      });
      await client.connect(await connectWebSocket(url));
      const content = { type: 'text', text: 'x'.repeat(700_000) };
      const [session] = server.sessions;
      const ask = () => session.createMessage({ maxTokens: 1, messages: [{ role: 'user', content }] });
      for (let n = 0; n < 2; n += 1) ask().catch(() => {});
      await session.ping();
      process.exit();`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: project.folder });
    expect(stdout).toBe('started\n');
  });

  it('gets no types of what the programs are made of', () => {
    for (const name of ['check', 'inspect', 'lisp'] as const) {
      expect(packed(name).files.filter((file) => file.endsWith('.d.ts'))).toEqual([]);
    }
    expect(packed('bridge').files.filter((file) => /^dist\/(cli|main|terminal)\b.*\.d\.ts$/.test(file))).toEqual([]);
  });

  it.each(['5.9', '7'])(
    'compiles against the types of every entry with TypeScript %s, libraries checked',
    async (version) => {
      const { folder } = project;
      const compiler = ['--prefer-offline', '--no-audit', '--no-fund', `typescript@${version}`, '@types/node@20'];
      await run('npm', ['install', ...compiler], { cwd: folder });
      const entries = LIBRARIES.flatMap((name) => {
        const { json } = packed(name);
        const modules = Object.keys(json.exports ?? {}).filter((entry) => !entry.endsWith('.json'));
        return modules.map((entry) => `${json.name}${entry.slice(1)}`);
      });
      const imports = entries.map((entry, n) => `import * as entry${n} from '${entry}';\nconsole.log(entry${n});`);
      const quiet = "new entry0.Server({ name: 'quiet', version: '1' }).tool({ name: 'nothing' }, () => {});";
      expect(entries[0]).toBe('@hawser/mcp');
      await writeFile(join(folder, 'program.ts'), [...imports, quiet].join('\n'));
      const compilerOptions = {
        module: 'nodenext',
        target: 'es2023',
        lib: ['es2023'],
        types: ['node'],
        strict: true,
        noEmit: true,
        skipLibCheck: false,
      };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
      expect((await run(bin('tsc'), ['--version'])).stdout).toContain(`Version ${version}`);
      await expect(run(bin('tsc'), ['-p', folder])).resolves.toMatchObject({ stdout: '' });
    },
    120_000,
  );
});
