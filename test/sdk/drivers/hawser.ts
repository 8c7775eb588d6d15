import type { Connection } from '@hawser/mcp';
import { Client, type NegotiationMode } from '@hawser/mcp/client';
import { CUSTOM_NEWS, type Driver, INFO, Person, STANDARD_NEWS } from '../driver.ts';

/** Our own client. */
export async function connectHawser(
  connection: Connection,
  negotiation: NegotiationMode = 'initialize',
): Promise<Driver> {
  const person = new Person();
  const client = new Client(INFO, {
    negotiation,
    createMessage: (params, { session, signal }) =>
      person.sample(params.messages, signal, () => session.notify('test/sampling_started', {})),
    elicit: ({ message }) => person.elicit(message),
    roots: () => person.roots,
    onError: (error) => person.tell('error', error),
  });
  client.onRequest('test/question', (params) => person.answer((params as { question: string }).question));
  for (const method of [...STANDARD_NEWS, ...CUSTOM_NEWS]) {
    client.onNotification(method, (params: unknown) => person.tell(method, params));
  }
  const session = await client.connect(connection);
  return {
    person,
    agreed: () => ({
      protocolVersion: session.protocolVersion,
      serverName: session.serverInfo?.name,
      instructions: session.instructions,
      capabilities: session.serverCapabilities,
    }),
    ping: () => session.ping(),
    listTools: () => session.listTools(),
    callTool: (name, args = {}, options = {}) => session.callTool(name, args, options),
    listResources: () => session.listResources(),
    listResourceTemplates: () => session.listResourceTemplates(),
    readResource: (uri) => session.readResource(uri),
    subscribe: (uri) => session.subscribe(uri),
    unsubscribe: (uri) => session.unsubscribe(uri),
    listPrompts: () => session.listPrompts(),
    getPrompt: (name, args) => session.getPrompt(name, args),
    complete: (params) => session.complete(params),
    setLogLevel: (level) => session.setLogLevel(level),
    request: (method, params) => session.request(method, params),
    notify: (method, params) => session.notify(method, params),
    rootsChanged: () => client.rootsChanged(),
    close: () => client.close(),
  };
}
