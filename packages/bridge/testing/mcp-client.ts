import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { onTestFinished } from 'vitest';
import type { Json } from '../../mcp/testing/json.ts';
import type { OpenAdapter } from '../src/agent.ts';
import { type McpAdapterOptions, mcpAdapter } from '../src/agents/mcp/adapter.ts';
import { type AdapterUnderTest, addressOf, tokenOf } from './stage.ts';

export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Json;
}

/** A client of the official SDK, as agents use it. */
export interface McpClient {
  readonly client: Client;
  names(): Promise<string[]>;
  call(name: string, args?: object, options?: CallOptions): Promise<ToolAnswer>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { readonly progress: number; readonly message?: string | undefined }) => void;
  readonly timeout?: number;
}

/** Connects to the mcp adapter of a bridge, and disconnects with the test. */
export async function connectMcp(adapter: OpenAdapter, name = 'an-agent'): Promise<McpClient> {
  const transport = new StreamableHTTPClientTransport(new URL(addressOf(adapter)), {
    requestInit: { headers: { Authorization: `Bearer ${tokenOf(adapter)}` } },
  });
  const client = await connectClient(transport, name);
  onTestFinished(async () => {
    await transport.terminateSession().catch(() => {});
    await client.close();
  });
  return client;
}

// The SDK's types differ in what may be undefined.
type Transport = Parameters<Client['connect']>[0];

export async function connectClient(transport: unknown, name = 'an-agent'): Promise<McpClient> {
  const client = new Client({ name, version: '1.0.0' });
  await client.connect(transport as Transport);
  return {
    client,
    names: async () => (await client.listTools()).tools.map((tool) => tool.name).sort(),
    call: async (tool, args = {}, options = {}) => {
      const answer = await client.callTool({ name: tool, arguments: { ...args } }, undefined, options);
      const content = answer.content as { readonly text: string }[];
      return {
        isError: answer.isError === true,
        text: content.map(({ text }) => text).join('\n'),
        data: answer.structuredContent,
      };
    },
    close: () => client.close(),
  };
}

export function mcpUnderTest(options: Partial<McpAdapterOptions> = {}): AdapterUnderTest {
  return {
    dialect: 'mcp',
    make: ({ stateFolder }) => mcpAdapter({ stateFolder, abandonedMs: 50, ...options }),
    identity: { name: 'Hawser', version: '0.0.0' },
    workspaceIn: ({ workspaceFolders }) => (workspaceFolders as string[])[0],
  };
}
