import type { CallToolResult, Implementation, Registration, RequestContext, Tool } from '@hawser/mcp';
import { Server } from '@hawser/mcp';
import { BridgeEnded, type BridgeLink } from './bridge-link.ts';

export interface ProxyOptions {
  readonly info: Implementation;
  /** The connection to use now. Called with the agent's name when its first request arrives. May take a few seconds. */
  readonly link: (agent: Implementation | undefined) => Promise<BridgeLink>;
  readonly onClosed: () => void;
}

/**
 * An agent that closes stdin ends, and no answer to a proposal would reach it. It gets those that are nearly ready; the SDKs
 * wait two seconds for the process to exit.
 */
const DRAIN_MS = 500;

/** An MCP server with the tools of a bridge, whichever that is at the moment. */
export class ToolProxy {
  readonly server: Server;
  readonly #link: ProxyOptions['link'];
  readonly #listed = new Map<string, { readonly text: string; readonly registration: Registration }>();

  constructor({ info, link, onClosed }: ProxyOptions) {
    this.#link = link;
    this.server = new Server(info, {
      capabilities: { tools: { listChanged: true } },
      limits: { drainTimeout: DRAIN_MS },
      onState: (_session, state) => {
        if (state === 'closed') onClosed();
      },
    });
    this.server.use(async ({ method, session }, next) => {
      // What is listed is known once there is a bridge.
      if (method === 'tools/list' || method === 'tools/call') await link(session?.clientInfo).catch(() => undefined);
      return await next();
    });
  }

  /** Clients are notified if the list differs from the one before. */
  setTools(tools: readonly Tool[]): void {
    const names = new Set(tools.map(({ name }) => name));
    for (const [name, { registration }] of this.#listed) {
      if (names.has(name)) continue;
      registration.remove();
      this.#listed.delete(name);
    }
    for (const tool of tools) {
      const text = JSON.stringify(tool);
      const before = this.#listed.get(tool.name);
      if (before?.text === text) continue;
      before?.registration.remove();
      this.#listed.set(tool.name, { text, registration: this.#add(tool) });
    }
  }

  #add({ name, title, description, inputSchema, outputSchema, annotations }: Tool): Registration {
    const definition = {
      name,
      inputSchema,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(outputSchema !== undefined && { outputSchema }),
      ...(annotations !== undefined && { annotations }),
    };
    return this.server.tool<object>(definition, (args, context) => this.#call(name, args, context));
  }

  async #call(name: string, args: object, context: RequestContext): Promise<CallToolResult> {
    try {
      const link = await this.#link(context.clientInfo);
      return await link.call(name, args, {
        signal: context.signal,
        onProgress: ({ progress, total, message }) => context.progress(progress, total, message),
      });
    } catch (error) {
      if (!(error instanceof BridgeEnded) && !(error instanceof NoBridge)) throw error;
      return { isError: true, content: [{ type: 'text', text: error.message }] };
    }
  }
}

/** There is no bridge to call. The message is for the model. */
export class NoBridge extends Error {
  override readonly name = 'NoBridge';
}
