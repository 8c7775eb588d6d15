import { type HttpTarget, httpWire } from '../packages/bridge/testing/http-agent.ts';
import { Mailbox } from './mailbox.ts';
import type { Wire } from './transcript-player.ts';

/** Streamable HTTP as one wire: answers and what the bridge sends by itself, in the order in which they arrive. */
export function agentHttpWire(target: HttpTarget): Wire {
  const arrived = new Mailbox<unknown>();
  const http = httpWire(target);
  http.onMessage = (message) => arrived.put(message);
  void http.closed.then(({ reason }) => arrived.end(new Error(reason)));
  let sending: Promise<unknown> = Promise.resolve();
  return {
    send: (text) => {
      sending = sending.then(() => http.post(text));
      sending.catch((error: Error) => arrived.end(error));
    },
    receive: () => arrived.take(),
    close: async () => {
      http.drop();
      await http.closed;
      return arrived.rest;
    },
  };
}
