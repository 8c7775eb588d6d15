import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Violation, within } from './target.ts';

const MAX_RSS_BYTES = 1024 ** 3;
/** Longer means that one client held up all others. */
const MAX_PROBE_MS = 2000;

const STATELESS = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The attacked server in a process of its own, and an honest client that checks on it. */
export class Victim {
  readonly process: ChildProcessWithoutNullStreams;
  #errors = '';
  #exit: string | undefined;

  constructor(program: string, args: readonly string[] = []) {
    this.process = spawn(process.execPath, [program, ...args], { stdio: 'pipe' });
    this.process.stderr.on('data', (text) => {
      this.#errors = `${this.#errors}${text}`.slice(-4000);
    });
    this.process.stdin.on('error', () => {});
    this.process.once('exit', (code, signal) => {
      this.#exit = `The server ended with ${code ?? signal}: ${this.#errors}`;
    });
  }

  /** Throws when the process has ended. */
  checkRunning(): void {
    if (this.#exit !== undefined) throw new Violation(this.#exit);
  }

  async stop(): Promise<void> {
    if (this.#exit !== undefined) return;
    const exited = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await exited;
  }
}

export interface NetworkVictim {
  readonly victim: Victim;
  readonly http: URL;
  readonly webSocket: URL;
  /** An honest call is answered in time, and the memory is within its limit. */
  probe(): Promise<void>;
}

export async function startNetworkVictim(program: string): Promise<NetworkVictim> {
  const victim = new Victim(program);
  const lines = createInterface({ input: victim.process.stdout });
  const [line] = await Promise.race([
    once(lines, 'line') as Promise<[string]>,
    once(victim.process, 'exit').then(() => {
      victim.checkRunning();
      throw new Violation('The server ended');
    }),
  ]);
  const urls: { http: string; webSocket: string } = JSON.parse(line);
  const http = new URL(urls.http);
  const probe = async () => {
    victim.checkRunning();
    const rss = await within(MAX_PROBE_MS, 'An honest call', readMemory(http));
    if (rss > MAX_RSS_BYTES) throw new Violation(`The server holds ${Math.round(rss / 1024 ** 2)} MiB`);
  };
  return { victim, http, webSocket: new URL(urls.webSocket), probe };
}

async function readMemory(url: URL): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'memory',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 'probe',
      method: 'tools/call',
      params: { name: 'memory', arguments: {}, _meta: STATELESS },
    }),
  });
  const text = await response.text();
  const answer = response.ok ? JSON.parse(text) : undefined;
  const rss = Number(answer?.result?.content?.[0]?.text);
  if (!(rss > 0)) throw new Violation(`An honest call was answered with ${response.status}: ${text.slice(0, 300)}`);
  return rss;
}
