import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ServerRow } from '../src/editors/workspace/language-servers/program-table.ts';

const repository = join(import.meta.dirname, '..', '..', '..');
/** Where npm has put the programs of this repository: tsc, whose language server is real, and biome. */
export const npmPrograms = join(repository, 'node_modules', '.bin');
/** The programs in node_modules/.bin are run by the `node` on PATH. */
export const nodeFolder = dirname(process.execPath);

/** An executable file. Its text is that of a Node program. */
export function writeProgram(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!${process.execPath}\n${text}`);
  chmodSync(path, 0o755);
}

/** Installs the scripted server in a folder and returns its row. It serves files of Lua. */
export function scriptedServer(bin: string, mode: string, capabilities: object = {}): ServerRow {
  const script = join(import.meta.dirname, 'scripted-language-server.cjs');
  writeProgram(join(bin, 'scripted'), `require(${JSON.stringify(script)})`);
  return {
    kind: 'server',
    command: ['scripted', mode, JSON.stringify(capabilities)],
    languages: ['lua'],
    group: 'lua',
    formats: true,
  };
}

/** The messages that the scripted server has received. */
export function receivedBy(folder: string): { readonly [name: string]: unknown }[] {
  const text = readFileSync(join(folder, 'received'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

export function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}

export function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
}
