import type {
  CallToolResult,
  CompleteParams,
  ElicitResult,
  GetPromptResult,
  LogLevel,
  Progress,
  Prompt,
  Resource,
  ResourceContents,
  ResourceTemplate,
  Root,
  Tool,
} from '@hawser/mcp';
import { Mailbox } from '../mailbox.ts';

/** A connected client of some library. The folder `drivers/` holds one for each library. */
export interface Driver {
  readonly person: Person;
  agreed(): Agreement;
  ping(): Promise<unknown>;
  listTools(): Promise<Tool[]>;
  callTool(name: string, args?: { [name: string]: unknown }, options?: DriverCallOptions): Promise<CallToolResult>;
  listResources(): Promise<Resource[]>;
  listResourceTemplates(): Promise<ResourceTemplate[]>;
  readResource(uri: string): Promise<ResourceContents[]>;
  subscribe(uri: string): Promise<unknown>;
  unsubscribe(uri: string): Promise<unknown>;
  listPrompts(): Promise<Prompt[]>;
  getPrompt(name: string, args: { [name: string]: string }): Promise<GetPromptResult>;
  complete(params: CompleteParams): Promise<{ values: string[] }>;
  setLogLevel(level: LogLevel): Promise<unknown>;
  request(method: string, params: { [name: string]: unknown }): Promise<unknown>;
  notify(method: string, params: { [name: string]: unknown }): void | Promise<void>;
  rootsChanged(): void | Promise<void>;
  close(): Promise<void>;
}

export interface DriverCallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** What client and server know of each other after the handshake. */
export interface Agreement {
  readonly protocolVersion: string | undefined;
  readonly serverName: string | undefined;
  readonly instructions: string | undefined;
  readonly capabilities: object | undefined;
}

export const INFO = { name: 'driver', version: '1.0.0' };
export const CAPABILITIES = { sampling: {}, elicitation: {}, roots: { listChanged: true } };

/** The notifications that a driver keeps for `person.hears`. */
export const STANDARD_NEWS = [
  'notifications/message',
  'notifications/resources/updated',
  'notifications/tools/list_changed',
] as const;
export const CUSTOM_NEWS = ['test/waiting', 'test/told', 'test/heard', 'test/roots'] as const;

/** The user of a client: answers the server's questions, the same in every library, and receives its notifications. */
export class Person {
  readonly #news = new Map<string, Mailbox<{ readonly params: unknown }>>();
  roots: Root[] = [{ uri: 'file:///one', name: 'One' }];

  tell(method: string, params: unknown): void {
    this.#mailbox(method).put({ params });
  }

  /** What the next such notification carries, which may have come already. */
  async hears(method: string): Promise<unknown> {
    return (await this.#mailbox(method).take()).params;
  }

  /** How many such notifications came that no test has asked for. */
  unread(method: string): number {
    return this.#mailbox(method).rest.length;
  }

  /** Answers a server that wants a message written; asked to `wait`, it does so until the server gives up. */
  async sample(messages: readonly { content: unknown }[], signal: AbortSignal, tellStarted: () => unknown) {
    const [text] = messages.map(({ content }) => (content as { text: string }).text);
    if (text === 'wait') {
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
      await tellStarted();
      await aborted;
      this.tell('sampling aborted', undefined);
    }
    const content = { type: 'text' as const, text: `sampled: ${text}` };
    return { role: 'assistant' as const, model: 'a-model', stopReason: 'endTurn', content };
  }

  elicit(message: string): ElicitResult {
    return message === 'refuse' ? { action: 'decline' } : { action: 'accept', content: { name: 'Ada' } };
  }

  answer(question: string): { answer: string } {
    return { answer: `${question} 42` };
  }

  #mailbox(method: string): Mailbox<{ readonly params: unknown }> {
    let mailbox = this.#news.get(method);
    if (mailbox === undefined) {
      mailbox = new Mailbox();
      this.#news.set(method, mailbox);
    }
    return mailbox;
  }
}
