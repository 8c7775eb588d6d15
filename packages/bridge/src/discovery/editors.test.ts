import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { dirname, join, relative } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import type { LockFormat } from '../agents/adapter-parts/endpoint.ts';
import { DISCOVERY_FORMATS } from '../agents/agents.ts';
import { claudeLock } from '../agents/claude-code/lock.ts';
import { copilotLock } from '../agents/copilot-cli/lock.ts';
import { geminiLock } from '../agents/gemini-cli/lock.ts';
import { jetbrainsLock } from '../agents/jetbrains/lock.ts';
import { mcpEndpointFile } from '../agents/mcp/endpoint-file.ts';
import { qwenLock } from '../agents/qwen-code/lock.ts';
import type { Address } from './address.ts';
import { type DiscoveryPlaces, findDiscoveryFiles, readDiscoveryFile, removeStale, stateOf } from './editors.ts';

/** Larger than any process id. */
const DEAD = 4_194_305;
const token = 'secret';
let home: string;
let workspace: string;
let places: DiscoveryPlaces;

beforeEach(() => {
  home = temporaryFolder();
  workspace = join(home, 'work');
  mkdirSync(workspace);
  const folders = { stateFolder: join(home, 'state'), temporaryFolder: join(home, 'tmp') };
  places = { home, ...folders, variables: {}, isWindows: false, formats: DISCOVERY_FORMATS };
});

function write(path: string, content: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

async function listening(at: number | string): Promise<Server> {
  const server = createServer().listen(at);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return server;
}

function writeLock(format: LockFormat, address: Address, folders: readonly string[] = [workspace]): string {
  return write(
    relative(home, join(format.folderFor(folders), format.nameFor(address))),
    format.contentFor({ ...address, token, folders }),
  );
}

function writeClaudeLock(port: number, pid = process.pid): string {
  const lockFolder = join(home, '.claude', 'ide');
  return writeLock(claudeLock({ lockFolder, ideName: 'Neovim', runningInWindows: false }, pid), { port });
}

describe('discovery files', () => {
  it('of every kind are found, with how to connect', () => {
    const { pid } = process;
    const socketPath = join(home, 'c.sock');
    const at = (folder: string, ideName = 'Zed') => ({ lockFolder: join(home, folder, 'ide'), ideName });
    writeLock(mcpEndpointFile(places.stateFolder, pid), { port: 5000 });
    writeClaudeLock(4001);
    writeLock(geminiLock(at('tmp/gemini'), 9), { port: 4000 });
    writeLock(qwenLock(at('.qwen'), pid), { port: 4000 });
    writeLock(copilotLock(at('.copilot', 'Copilot editor'), pid), { port: 0, socketPath });
    writeLock(jetbrainsLock, { port: 4002 });
    const { files, problems } = findDiscoveryFiles(places, []);
    const bearer = { Authorization: 'Bearer secret' };
    const claude = { 'x-claude-code-ide-authorization': token };
    const companion = { url: 'http://127.0.0.1:4000/mcp', headers: bearer };
    expect(files.map(({ agent, name, pid, endpoint }) => ({ agent, name, pid, ...endpoint }))).toEqual([
      { agent: 'mcp', name: undefined, pid, url: 'http://127.0.0.1:5000/mcp', headers: bearer },
      { agent: 'claude-code', name: 'Neovim', pid, url: 'ws://127.0.0.1:4001', headers: claude },
      { agent: 'gemini-cli', name: 'Zed', pid: 9, ...companion },
      { agent: 'qwen-code', name: 'Zed', pid, ...companion },
      {
        agent: 'copilot-cli',
        name: 'Copilot editor',
        pid,
        url: 'http://localhost/mcp',
        headers: { Authorization: 'Nonce secret' },
        socketPath,
      },
      { agent: 'jetbrains', name: undefined, pid: undefined, url: 'ws://127.0.0.1:4002', headers: claude },
    ]);
    expect(files.every(({ folders }) => folders[0] === workspace)).toBe(true);
    expect(problems).toEqual([]);
    for (const { path, agent } of files) expect(readDiscoveryFile(path, places)).toMatchObject({ agent, path });
  });

  it('that make no sense are named with the reason; other files in their folders are passed over', () => {
    write('.claude/ide/4000.lock', '{');
    write('.claude/ide/notes.txt', 'hello');
    write('.claude/ide/notes.json', 'hello');
    write('.claude/ide/.4001.lock.tmp', 'hello');
    expect(findDiscoveryFiles(places, [])).toEqual({
      files: [],
      problems: [
        { path: join(home, '.claude/ide/4000.lock'), agent: 'claude-code', message: 'It holds no JSON object' },
      ],
    });
    expect(readDiscoveryFile(join(home, '.claude/ide/4000.lock'), places)).toMatchObject({
      message: 'It holds no JSON object',
    });
  });
});

describe('an editor', () => {
  const only = () => {
    const [file] = findDiscoveryFiles(places, []).files;
    if (file === undefined) throw new Error('No file');
    return file;
  };

  it('is alive if its process runs and something listens', async () => {
    const server = await listening(0);
    writeClaudeLock((server.address() as AddressInfo).port);
    expect(await stateOf(only())).toEqual({ kind: 'alive' });
    expect(await removeStale(only())).toBe(false);
  });

  it('is stale if its process has ended; its file stays while its port answers, as one in another container does', async () => {
    const server = await listening(0);
    const path = writeClaudeLock((server.address() as AddressInfo).port, DEAD);
    expect(await stateOf(only())).toEqual({ kind: 'stale', reason: `process ${DEAD} has ended` });
    expect(await removeStale(only())).toBe(false);
    expect(existsSync(path)).toBe(true);
    server.close();
    await once(server, 'close');
    expect(await removeStale(only())).toBe(true);
  });

  it('is stale if nothing listens on its port or socket', async () => {
    const server = await listening(0);
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    writeClaudeLock(port);
    expect(await stateOf(only())).toEqual({ kind: 'stale', reason: `nothing listens on port ${port}` });
    expect(await removeStale(only())).toBe(true);
    const socketPath = join(home, 'c.sock');
    const lock = copilotLock({ lockFolder: join(home, '.copilot', 'ide'), ideName: 'x' }, process.pid);
    writeLock(lock, { port: 0, socketPath }, []);
    expect(await stateOf(only())).toEqual({ kind: 'stale', reason: `nothing listens on the socket ${socketPath}` });
    await listening(socketPath);
    expect(await stateOf(only())).toEqual({ kind: 'alive' });
  });

  it('that has written its file again meanwhile keeps it', async () => {
    const path = writeClaudeLock(4000, DEAD);
    const before = only();
    writeClaudeLock(4000, DEAD - 1);
    expect(await removeStale(before)).toBe(false);
    expect(existsSync(path)).toBe(true);
    expect(await removeStale(only())).toBe(true);
    expect(existsSync(path)).toBe(false);
  });
});
