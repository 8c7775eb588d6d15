import type { Address } from './address.ts';
import type { Lock, ReadLock } from './lock.ts';

/** What decides where agents keep the files of a user. */
export interface UserPlaces {
  readonly home: string;
  /** Of the environment; some agents have one for their folder. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** What decides where the files of agents are. */
export interface AgentPlaces extends UserPlaces {
  readonly stateFolder: string;
  readonly temporaryFolder: string;
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
  /** Of several connections to one editor a client uses the one with the lowest rank: that with the most tools. */
  readonly rank: number;
  /** `projects` are folders that may have files in them, as may those above. */
  folders(places: AgentPlaces, projects: readonly string[]): readonly string[];
  reader(places: Pick<AgentPlaces, 'isWindows'>): ReadLock;
  /** Undefined if the file doesn't say enough. */
  endpoint(lock: Lock, members: Members): EditorEndpoint | undefined;
}

/** Declared here, because published declarations must not import private packages. */
export type Members = Readonly<Record<string, unknown>>;

/** Where an endpoint listens on this machine; undefined if it is on another one. */
export function addressOf({ url, socketPath }: EditorEndpoint): Address | undefined {
  if (socketPath !== undefined) return { port: 0, socketPath };
  const { hostname, port } = new URL(url);
  return ['127.0.0.1', 'localhost', '[::1]'].includes(hostname) && port !== '' ? { port: Number(port) } : undefined;
}

export function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}
