import type { ChildExit } from '@hawser/mcp/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Driver } from './driver.ts';

/** A client and a server of different makes, and the way between them. */
export interface Pairing {
  readonly name: string;
  open(): Promise<OpenPairing>;
  readonly traits: Traits;
  /** Features that cannot be shown here, by name, and why. */
  readonly cannot?: { readonly [feature: string]: string };
}

export interface OpenPairing {
  readonly driver: Driver;
  /** Closes the client, and says how the server's process ended, if it had one and this can be known. */
  close(): Promise<{ readonly exit: ChildExit } | undefined>;
}

/** `closed` is called once the client is closed; it says how the server's process ended, if it had one. */
export async function pairing<Ended extends { readonly exit: ChildExit } | undefined>(
  connecting: Promise<Driver>,
  closed: () => Promise<Ended>,
): Promise<OpenPairing> {
  const driver = await connecting;
  const close = async () => {
    await driver.close();
    return closed();
  };
  return { driver, close };
}

/** Where libraries rightly differ, or do: how their users are told of what does not exist. */
export interface Traits {
  readonly unknownTool: 'result' | number;
  readonly unknownResource: number;
}

/** By server; a client may have its own words for what its server says. */
export const TRAITS = {
  hawser: { unknownTool: -32602, unknownResource: -32002 },
  // v1 lets the model know of a tool that does not exist; both have given up -32002.
  sdkV1: { unknownTool: 'result', unknownResource: -32602 },
  sdkV2: { unknownTool: -32602, unknownResource: -32602 },
} as const satisfies { [server: string]: Traits };

/** What 2026-07-28 has done away with, and what goes with it. */
export const STATELESS_CANNOT = {
  'the handshake agrees on 2025-11-25 and tells who the server is': '2026-07-28 has no handshake',
  'the client pings the server': '2026-07-28 has no ping',
  'the server pings the client': '2026-07-28 has no ping',
  'a cancelled sampling request aborts the signal of its handler at the client': '2026-07-28 asks in results',
  'the server lists the roots, and again when they change': '2026-07-28 has no such notification',
  'the client answers a request of our own': '2026-07-28 has no requests to the client',
  'the client refuses a request it does not know with -32601': '2026-07-28 has no requests to the client',
  'the server hears a notification of our own': 'our server hears notifications within sessions only',
};

/** Shows every feature on a connection of its own. */
export function describeFeatures({ name, open, traits, cannot = {} }: Pairing): void {
  describe(name, () => {
    let pairing: OpenPairing;
    beforeAll(async () => {
      pairing = await open();
    });
    afterAll(() => pairing?.close()); // for when the last test was not reached
    for (const [feature, show] of Object.entries(FEATURES)) {
      const why = cannot[feature];
      if (why === undefined) test(feature, () => show(pairing.driver, traits));
      else test.skip(`${feature} (cannot: ${why})`);
    }
    test('closing ends it all, and a server process ends by itself with code 0', async () => {
      expect((await pairing.close())?.exit ?? { code: 0, signal: null }).toMatchObject({ code: 0, signal: null });
    });
    for (const feature of Object.keys(cannot)) {
      if (!(feature in FEATURES)) throw new Error(`${name}: there is no feature ${JSON.stringify(feature)}`);
    }
  });
}

type Feature = (driver: Driver, traits: Traits) => Promise<void>;

const FEATURES: { readonly [name: string]: Feature } = {
  'the handshake agrees on 2025-11-25 and tells who the server is': async ({ agreed }) => {
    const { protocolVersion, serverName, instructions, capabilities } = agreed();
    expect({ protocolVersion, serverName, instructions }).toEqual({
      protocolVersion: '2025-11-25',
      serverName: 'showcase',
      instructions: 'Call echo first.',
    });
    expect(capabilities).toMatchObject({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    });
  },
  'the client pings the server': async (driver) => {
    await driver.ping();
  },
  'the server pings the client': async (driver) => {
    expect(await say(driver, 'ping_client')).toBe('pong');
  },
  'tools are listed with title, annotations and schemas': async (driver) => {
    const tools = await driver.listTools();
    expect(tools.find(({ name }) => name === 'echo')).toMatchObject({
      title: 'Echo',
      description: 'Answers the text it is given.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      annotations: { readOnlyHint: true },
    });
    expect(tools.find(({ name }) => name === 'measure')).toMatchObject({
      outputSchema: { type: 'object', properties: { length: { type: 'integer' } }, required: ['length'] },
    });
  },
  'a tool answers': async (driver) => {
    const result = await driver.callTool('echo', { text: 'grüße ☃' });
    expect(result.content).toEqual([{ type: 'text', text: 'grüße ☃' }]);
    expect(result.isError ?? false).toBe(false);
  },
  'a tool that fails is a result with isError': async (driver) => {
    const result = await driver.callTool('fail');
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('broken on purpose');
  },
  'invalid arguments are a result with isError that names them': async (driver) => {
    const result = await driver.callTool('echo', { text: 7 });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/text/);
  },
  'an unknown tool is refused': async (driver, { unknownTool }) => {
    const call = driver.callTool('no_such_tool');
    if (unknownTool === 'result') expect(await call).toMatchObject({ isError: true });
    else await expect(call).rejects.toMatchObject({ code: unknownTool });
  },
  'structured content fits the output schema': async (driver) => {
    await driver.listTools(); // so that the client knows the schema and checks it
    const result = await driver.callTool('measure', { text: 'four' });
    expect(result.structuredContent).toEqual({ length: 4 });
    expect(JSON.parse(textOf(result))).toEqual({ length: 4 });
  },
  'resources are listed and read, as text and as bytes': async (driver) => {
    const listed = await driver.listResources();
    expect(listed.find(({ uri }) => uri === 'test://static')).toMatchObject({ name: 'static', title: 'Static' });
    expect(await driver.readResource('test://static')).toEqual([
      { uri: 'test://static', mimeType: 'text/plain', text: 'always the same' },
    ]);
    expect(await driver.readResource('test://blob')).toEqual([
      { uri: 'test://blob', mimeType: 'image/png', blob: 'AAEC' },
    ]);
  },
  'resource templates are listed and read': async (driver) => {
    expect(await driver.listResourceTemplates()).toMatchObject([{ name: 'items', uriTemplate: 'test://items/{id}' }]);
    expect(await driver.readResource('test://items/7')).toMatchObject([{ uri: 'test://items/7', text: 'item 7' }]);
  },
  'an unknown resource is refused': async (driver, { unknownResource }) => {
    await expect(driver.readResource('test://nowhere')).rejects.toMatchObject({ code: unknownResource });
  },
  'a subscribed resource is reported when it changes, and no more after unsubscribing': async (driver) => {
    await driver.subscribe('test://static');
    await say(driver, 'touch', { uri: 'test://blob' });
    await say(driver, 'touch', { uri: 'test://static' });
    expect(await driver.person.hears('notifications/resources/updated')).toMatchObject({ uri: 'test://static' });
    await driver.unsubscribe('test://static');
    await say(driver, 'touch', { uri: 'test://static' });
    await fence(driver);
    expect(driver.person.unread('notifications/resources/updated')).toBe(0);
  },
  'prompts are listed and filled in': async (driver) => {
    expect(await driver.listPrompts()).toMatchObject([
      {
        name: 'greet',
        title: 'Greet',
        description: 'Greets a user.',
        arguments: [{ name: 'name', required: true }, { name: 'style' }],
      },
    ]);
    expect(await driver.getPrompt('greet', { name: 'Ada', style: 'rude' })).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: 'Say hello to Ada, rude' } }],
    });
  },
  'an unknown prompt and a missing argument are refused with -32602': async (driver) => {
    await expect(driver.getPrompt('no_such_prompt', {})).rejects.toMatchObject({ code: -32602 });
    await expect(driver.getPrompt('greet', {})).rejects.toMatchObject({ code: -32602 });
  },
  'arguments of prompts and variables of templates are completed': async (driver) => {
    const style = { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'style', value: 'f' } } as const;
    expect((await driver.complete(style)).values).toEqual(['formal', 'friendly']);
    const ref = { type: 'ref/resource', uri: 'test://items/{id}' } as const;
    expect((await driver.complete({ ref, argument: { name: 'id', value: '7' } })).values).toEqual(['7', '70']);
  },
  'log messages come from the level that was set': async (driver) => {
    await driver.setLogLevel('warning');
    await say(driver, 'log', { level: 'info', text: 'too quiet' });
    await say(driver, 'log', { level: 'error', text: 'loud' });
    expect(await driver.person.hears('notifications/message')).toEqual({
      level: 'error',
      logger: 'showcase',
      data: 'loud',
    });
  },
  'progress reaches the caller before the answer': async (driver) => {
    const steps: unknown[] = [];
    let counted: Promise<unknown> | undefined;
    await new Promise<void>((resolve) => {
      const onProgress = (step: unknown) => {
        if (steps.push(step) === 3) resolve();
      };
      counted = driver.callTool('count', { to: 3 }, { onProgress });
    });
    await say(driver, 'proceed');
    expect(await counted).toMatchObject({ content: [{ text: 'counted to 3' }] });
    expect(steps).toEqual([1, 2, 3].map((n) => ({ progress: n, total: 3, message: `step ${n}` })));
  },
  'progress that comes together with the answer is not lost': async (driver) => {
    const steps: unknown[] = [];
    await driver.callTool('hurry', { to: 3 }, { onProgress: ({ progress }) => steps.push(progress) });
    expect(steps).toEqual([1, 2, 3]);
  },
  'a cancelled call aborts the signal of its handler on the server': async (driver) => {
    const controller = new AbortController();
    const call = driver.callTool('wait', {}, { signal: controller.signal });
    const refused = expect(call).rejects.toThrow(/changed my mind/);
    await driver.person.hears('test/waiting');
    controller.abort(new Error('changed my mind'));
    await refused;
    expect(await say(driver, 'await_abort')).toBe('aborted');
  },
  'the server has the client write a message': async (driver) => {
    expect(await say(driver, 'sample', { text: 'hello' })).toBe('sampled: hello');
  },
  'a cancelled sampling request aborts the signal of its handler at the client': async (driver) => {
    expect(await say(driver, 'give_up_sampling')).toBe('gave up');
    await driver.person.hears('sampling aborted');
  },
  'the server asks the person a form, who accepts or declines': async (driver) => {
    expect(JSON.parse(await say(driver, 'elicit', { message: 'who?' }))).toEqual({
      action: 'accept',
      content: { name: 'Ada' },
    });
    expect(JSON.parse(await say(driver, 'elicit', { message: 'refuse' }))).toEqual({ action: 'decline' });
  },
  'the server lists the roots': async (driver) => {
    expect(JSON.parse(await say(driver, 'roots'))).toEqual([{ uri: 'file:///one', name: 'One' }]);
  },
  'the server lists the roots, and again when they change': async (driver) => {
    expect(JSON.parse(await say(driver, 'roots'))).toEqual([{ uri: 'file:///one', name: 'One' }]);
    driver.person.roots = [{ uri: 'file:///two' }];
    await driver.rootsChanged();
    expect(await driver.person.hears('test/roots')).toEqual({ uris: ['file:///two'] });
  },
  'a tool that comes or goes is announced, and listed or not': async (driver) => {
    await say(driver, 'grow');
    await driver.person.hears('notifications/tools/list_changed');
    expect((await driver.listTools()).map(({ name }) => name)).toContain('grown');
    expect(await say(driver, 'grown')).toBe('grown up');
    await say(driver, 'shrink');
    await driver.person.hears('notifications/tools/list_changed');
    expect((await driver.listTools()).map(({ name }) => name)).not.toContain('grown');
  },
  'the server answers a request of our own': async (driver) => {
    expect(await driver.request('test/double', { n: 21 })).toMatchObject({ doubled: 42 });
  },
  'the server refuses a request it does not know with -32601': async (driver) => {
    await expect(driver.request('test/unheard_of', {})).rejects.toMatchObject({ code: -32601 });
  },
  'the client answers a request of our own': async (driver) => {
    expect(await say(driver, 'ask_client', { question: 'six times seven?' })).toBe('six times seven? 42');
  },
  'the client refuses a request it does not know with -32601': async (driver) => {
    expect(await say(driver, 'ask_unknown')).toBe('-32601');
  },
  'the server hears a notification of our own': async (driver) => {
    await driver.notify('test/said', { text: 'psst' });
    expect(await driver.person.hears('test/heard')).toEqual({ text: 'psst' });
  },
  'the client hears a notification of our own': async (driver) => {
    await say(driver, 'tell_client', { text: 'psst' });
    expect(await driver.person.hears('test/told')).toEqual({ text: 'psst' });
  },
  'a message of a megabyte passes both ways': async (driver) => {
    const text = 'ä'.repeat(500_000);
    expect(await say(driver, 'echo', { text })).toBe(text);
  },
  'many calls in flight get each their own answer': async (driver) => {
    const texts = Array.from({ length: 100 }, (_, n) => `call ${n}`);
    expect(await Promise.all(texts.map((text) => say(driver, 'echo', { text })))).toEqual(texts);
  },
};

/** Calls a tool and gives its text. */
async function say(driver: Driver, tool: string, args: { [name: string]: unknown } = {}): Promise<string> {
  const result = await driver.callTool(tool, args);
  if (result.isError) throw new Error(`${tool} failed: ${textOf(result)}`);
  return textOf(result);
}

/** When this is back, everything the server sent before has been heard: messages keep their order. */
async function fence(driver: Driver): Promise<void> {
  await say(driver, 'tell_client', { text: 'fence' });
  expect(await driver.person.hears('test/told')).toEqual({ text: 'fence' });
}

function textOf({ content }: { content: readonly { type: string }[] }): string {
  const [block] = content as { type: string; text: string }[];
  if (block?.type !== 'text') throw new Error(`expected a text, got ${JSON.stringify(content)}`);
  return block.text;
}
