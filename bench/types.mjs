// `npm run bench -- types`: what a file with 50 tools that have zod schemas costs the TypeScript compiler, with @hawser/mcp, with
// SDK v2, and with the schemas alone. Types and instantiations are the same in every run; time and memory are the machine's.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const TOOLS = 50;
const ROUNDS = 3;
const root = join(import.meta.dirname, '..');
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

const schema = (n) => `z.object({
  id: z.string().min(1), count${n}: z.number().int().optional(), mode: z.enum(['a', 'b', 'c${n}']), tags: z.array(z.string()),
  nested: z.object({ x: z.number(), y: z.number().default(0), label: z.string().nullable() }) })`;
const programs = {
  zod: {
    head: '',
    tool: (n) => `const s${n} = ${schema(n)};
      export const f${n} = (a: z.infer<typeof s${n}>): string => a.id + a.nested.x + a.mode;`,
  },
  hawser: {
    head: `import { Server } from '@hawser/mcp';\nconst server = new Server({ name: 'x', version: '1' });`,
    tool: (n) => `server.tool({ name: 't${n}', inputSchema: ${schema(n)} }, (a) => a.id + a.nested.x + a.mode);`,
  },
  'sdk-v2': {
    head: `import { McpServer } from '@modelcontextprotocol/server';\nconst server = new McpServer({ name: 'x', version: '1' });`,
    tool: (n) => `server.registerTool('t${n}', { inputSchema: ${schema(n)} }, async (a) =>
      ({ content: [{ type: 'text' as const, text: a.id + a.nested.x + a.mode }] }));`,
  },
};
const TARGETS = { memory: 1.15, instantiations: 1.5 };

// Below the packages, so that the compiler finds them.
mkdirSync(join(root, 'node_modules', '.cache'), { recursive: true });
const folder = mkdtempSync(join(root, 'node_modules', '.cache', 'types-'));
try {
  const compilerOptions = { target: 'es2023', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true };
  for (const [name, { head, tool }] of Object.entries(programs)) {
    const tools = Array.from({ length: TOOLS }, (_, n) => tool(n));
    writeFileSync(join(folder, `${name}.ts`), ["import * as z from 'zod';", head, ...tools, ''].join('\n'));
    const config = { compilerOptions: { ...compilerOptions, types: ['node'] }, files: [`${name}.ts`] };
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(config));
  }
  const figures = Object.fromEntries(Object.keys(programs).map((name) => [name, figuresOf(name)]));
  console.log('| | types | instantiations | memory, MB | time, s |\n|---|---|---|---|---|');
  for (const [name, each] of Object.entries(figures)) {
    const { types, instantiations, memory, seconds } = each;
    console.log(`| ${name} | ${types} | ${instantiations} | ${(memory / 1e3).toFixed(0)} | ${seconds.toFixed(2)} |`);
  }
  for (const [key, atMost] of Object.entries(TARGETS)) {
    const ratio = figures.hawser[key] / figures.zod[key];
    console.log(`hawser to zod, ${key}: ${ratio.toFixed(2)}× (≤ ${atMost}) ${ratio <= atMost ? 'ok' : 'short'}`);
    if (ratio > atMost && process.argv.includes('--strict')) process.exitCode = 2;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The medians of some rounds. */
function figuresOf(name) {
  const rounds = Array.from({ length: ROUNDS }, () => compile(name));
  const median = (key) => rounds.map((round) => round[key]).sort((a, b) => a - b)[ROUNDS >> 1];
  return {
    types: median('types'),
    instantiations: median('instantiations'),
    memory: median('memory'),
    seconds: median('seconds'),
  };
}

function compile(name) {
  const args = [compiler, '-p', join(folder, `${name}.json`), '--extendedDiagnostics'];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name} does not compile:\n${stdout.slice(0, 2000)}`);
  const figure = (label) => Number(new RegExp(`^${label}:\\s+([\\d.]+)`, 'm').exec(stdout)?.[1]);
  return {
    types: figure('Types'),
    instantiations: figure('Instantiations'),
    memory: figure('Memory used'),
    seconds: figure('Total time'),
  };
}
