import type { Address } from './address.ts';
import { claudeLockFolder, claudeLockReader } from './claude-lock.ts';
import { geminiLockFolder, qwenLockFolder, readGeminiLock, readQwenLock } from './companion-lock.ts';
import { copilotLockFolder, readCopilotLock } from './copilot-lock.ts';
import { jetbrainsLockFolder, readJetbrainsLock } from './jetbrains-lock.ts';
import type { Lock, ReadLock } from './lock.ts';
import { mcpEndpointFolder, readMcpEndpoint } from './mcp-endpoint.ts';
import { withParents } from './real-folders.ts';

/** What decides where discovery files are. */
export interface DiscoveryPlaces {
  readonly home: string;
  readonly stateFolder: string;
  readonly temporaryFolder: string;
  readonly claudeConfigDir: string | undefined;
  readonly copilotHome: string | undefined;
  readonly qwenHome: string | undefined;
  readonly isWindows: boolean;
}

/** How a client connects to the editor that wrote a discovery file. */
export interface EditorEndpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The unix socket to connect to; the URL then only names the path. */
  readonly socketPath?: string;
}

/** One kind of file by which agents find editors. */
export interface DiscoveryFormat {
  /** The agent that reads these files. */
  readonly agent: string;
  /** `projects` are folders that may have files in them, as may those above. */
  folders(places: DiscoveryPlaces, projects: readonly string[]): readonly string[];
  reader(places: Pick<DiscoveryPlaces, 'isWindows'>): ReadLock;
  /** Undefined if the file doesn't say enough. */
  endpoint(lock: Lock, members: Members): EditorEndpoint | undefined;
}

export type Members = Readonly<Record<string, unknown>>;

/** Every kind, those with the most tools first. */
export const FORMATS: readonly DiscoveryFormat[] = [
  {
    agent: 'mcp',
    folders: ({ stateFolder }) => [mcpEndpointFolder(stateFolder)],
    reader: () => readMcpEndpoint,
    endpoint: ({ token }, { url }) => (typeof url === 'string' ? { url, headers: bearer(token) } : undefined),
  },
  {
    agent: 'claude-code',
    folders: ({ claudeConfigDir: configDir, home }) => [claudeLockFolder({ configDir, home })],
    reader: ({ isWindows }) => claudeLockReader({ runningInWindows: isWindows }),
    endpoint: claudeEndpoint,
  },
  {
    agent: 'gemini-cli',
    folders: ({ temporaryFolder }) => [geminiLockFolder(temporaryFolder)],
    reader: () => readGeminiLock,
    endpoint: companionEndpoint,
  },
  {
    agent: 'qwen-code',
    folders: ({ qwenHome, home }) => [qwenLockFolder({ qwenHome, home })],
    reader: () => readQwenLock,
    endpoint: companionEndpoint,
  },
  {
    agent: 'copilot-cli',
    folders: ({ copilotHome, home }) => [copilotLockFolder({ copilotHome, home })],
    reader: () => readCopilotLock,
    endpoint: copilotEndpoint,
  },
  {
    agent: 'jetbrains',
    folders: (_places, projects) => [...new Set(projects.flatMap(withParents))].map(jetbrainsLockFolder),
    reader: () => readJetbrainsLock,
    endpoint: claudeEndpoint,
  },
];

/** Where an endpoint listens on this machine; undefined if it is on another one. */
export function addressOf({ url, socketPath }: EditorEndpoint): Address | undefined {
  if (socketPath !== undefined) return { port: 0, socketPath };
  const { hostname, port } = new URL(url);
  return ['127.0.0.1', 'localhost', '[::1]'].includes(hostname) && port !== '' ? { port: Number(port) } : undefined;
}

function claudeEndpoint({ port, token }: Lock): EditorEndpoint | undefined {
  if (port === undefined) return undefined;
  const headers: Record<string, string> = token === undefined ? {} : { 'x-claude-code-ide-authorization': token };
  return { url: `ws://127.0.0.1:${port}`, headers };
}

function companionEndpoint({ port, token }: Lock): EditorEndpoint | undefined {
  return port === undefined ? undefined : { url: `http://127.0.0.1:${port}/mcp`, headers: bearer(token) };
}

function copilotEndpoint(_lock: Lock, { socketPath, headers }: Members): EditorEndpoint | undefined {
  if (typeof socketPath !== 'string') return undefined;
  const given = Object.entries((headers ?? {}) as Members).filter((entry) => typeof entry[1] === 'string');
  return { url: 'http://localhost/mcp', headers: Object.fromEntries(given) as Record<string, string>, socketPath };
}

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}
