import { CodexClient, frameOf } from '../packages/bridge/testing/codex.ts';
import type { Wire } from './transcript-player.ts';

/** Codex's socket as a wire. What differs each time, the ids of clients, is called $BRIDGE and $CLIENT. */
export async function codexWire(path: string): Promise<Wire> {
  const client = await CodexClient.connect(path);
  let taken = 0;
  return {
    send: (text) => {
      const { id, method } = JSON.parse(text);
      // The player ends a session with a ping, which Codex does not have: any request is answered.
      if (method === 'ping') client.send({ type: 'request', requestId: id, method });
      else client.socket.write(frameOf(text));
    },
    receive: async () => {
      await client.next(() => client.received.length > taken);
      const message = client.received[taken];
      taken += 1;
      if (message.error === 'no-client-found' && message.requestId === 'end of transcript')
        return { id: message.requestId };
      const { clientId } = message.result ?? {};
      return {
        ...message,
        ...(message.handledByClientId !== undefined && { handledByClientId: '$BRIDGE' }),
        ...(clientId !== undefined && { result: { ...message.result, clientId: '$CLIENT' } }),
      };
    },
    close: async () => {
      client.close();
      await client.closed;
      return client.received.slice(taken);
    },
  };
}
