import type { Connection } from '@hawser/mcp';
import { Client, type ClientOptions, type ClientSession } from '@hawser/mcp/client';

export interface SessionOptions extends Pick<ClientOptions, 'elicit' | 'roots'> {
  /** Of this program. */
  readonly version: string;
  /** The revision of MCP to speak. Default: the newest that the server knows. */
  readonly protocolVersion: string | undefined;
  /** Milliseconds for each request to be answered; progress starts it again. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
  /** Gets what a server on stdio writes to stderr. */
  readonly onStderr?: (text: string) => void;
  /** Gets failures that no call can report. */
  readonly onError: (error: Error) => void;
}

/** Agrees on a revision with the server. Rejects, and closes the connection, when that fails. */
export async function startSession(connection: Connection, options: SessionOptions): Promise<ClientSession> {
  const { version, protocolVersion, timeout, signal, onError, elicit, roots } = options;
  const client = new Client(
    { name: 'hawser', title: 'Hawser', version },
    {
      timeout,
      onError,
      ...(protocolVersion !== undefined && { protocolVersion }),
      ...(elicit && { elicit }),
      ...(roots && { roots }),
    },
  );
  return await client.connect(connection, { maxTimeout: timeout, ...(signal && { signal }) });
}
