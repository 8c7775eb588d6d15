import { type Connection, ConnectionClosed, type Notification, Peer } from '@hawser/mcp';
import type { Proposal } from '../review/proposal.ts';
import { Event, type Removed, type Status, type TrafficBatch } from './calls.ts';
import { type ControlClient, clientOn, type Receivers } from './control-client.ts';

/** Speaks over any connection, for example one within a process. */
export function controlClient(connection: Connection): ControlClient {
  const receivers: Receivers = {};
  let refusal: string | undefined;
  let ended = () => {};
  const closed = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const receive = ({ method, params }: Notification) => {
    // Both sides have the same protocol version, so the messages have these types.
    if (method === Event.added) receivers.reviews?.added(params as unknown as Proposal);
    else if (method === Event.refreshed) receivers.reviews?.refreshed(params as unknown as Proposal);
    else if (method === Event.removed) receivers.reviews?.removed(params as unknown as Removed);
    else if (method === Event.status) receivers.status?.(params as unknown as Status);
    else if (method === Event.traffic) receivers.traffic?.(params as unknown as TrafficBatch);
    else if (method === Event.refused) refusal = (params as { reason: string }).reason;
  };
  const peer = new Peer(connection, {
    respond: () => {
      throw new Error('Commands do not handle requests');
    },
    receive,
    closed: () => {
      receivers.reviews?.close();
      ended();
    },
  });
  peer.start();
  const call = async <Result>(method: string, params?: object): Promise<Result> => {
    try {
      return (await peer.request(method, { ...params })) as Result;
    } catch (error) {
      if (!(error instanceof ConnectionClosed)) throw error;
      throw new Error(refusal ?? `The bridge closed the connection: ${error.message}`, { cause: error });
    }
  };
  return clientOn({ call, receivers, closed, close: () => peer.close() });
}
