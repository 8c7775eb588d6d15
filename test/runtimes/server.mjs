import { Server } from '@hawser/mcp';

/** The same server for every runtime. */
export function makeServer() {
  const server = new Server({ name: 'runtimes', version: '1.0.0' }, { onError: () => {} });
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  server.tool({ name: 'echo', inputSchema }, ({ text }) => text);
  server.tool({ name: 'count' }, (_args, context) => {
    for (const done of [1, 2, 3]) context.progress(done, 3);
    return 'three';
  });
  server.tool({ name: 'later' }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return 'later';
  });
  const events = [''];
  server.tool({ name: 'wait' }, (_args, { signal, onCancelled }) => {
    events[0] = 'waiting';
    signal.addEventListener('abort', () => {
      events.push('listener');
      throw new Error('reported, not thrown');
    });
    signal.onabort = () => events.push('onabort');
    return new Promise((resolve) => {
      // workerd ends requests that wait for nothing.
      const timer = setTimeout(resolve, 10_000);
      onCancelled(() => {
        events.push('onCancelled');
        clearTimeout(timer);
      });
    });
  });
  server.tool({ name: 'events' }, () => events.join(' '));
  return server;
}
