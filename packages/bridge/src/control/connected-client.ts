import { type Connection, ConnectionClosed, type Notification, Peer } from '@hawser/mcp';
import type { Decision, Proposal } from '../review/proposal.ts';
import type { DecideResult } from '../review/reviewer.ts';
import { Event, Method, type Removed, type Status, type TrafficBatch } from './calls.ts';
import type { ControlClient } from './control-client.ts';
import { RemoteReviews } from './remote-reviews.ts';

/** Speaks over any connection, for example one within a process. */
export function controlClient(connection: Connection): ControlClient {
  let reviews: RemoteReviews | undefined;
  let onStatus: (status: Status) => void = () => {};
  let onTraffic: (batch: TrafficBatch) => void = () => {};
  let refusal: string | undefined;
  let ended = () => {};
  const closed = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const receive = ({ method, params }: Notification) => {
    // Both sides have the same protocol version, so the messages have these types.
    if (method === Event.added) reviews?.added(params as unknown as Proposal);
    else if (method === Event.refreshed) reviews?.refreshed(params as unknown as Proposal);
    else if (method === Event.removed) reviews?.removed(params as unknown as Removed);
    else if (method === Event.status) onStatus(params as unknown as Status);
    else if (method === Event.traffic) onTraffic(params as unknown as TrafficBatch);
    else if (method === Event.refused) refusal = (params as { reason: string }).reason;
  };
  const peer = new Peer(connection, {
    respond: () => {
      throw new Error('A command answers no requests');
    },
    receive,
    abandoned: () => {},
    errorWithoutId: () => {},
    batchRefusal: () => undefined,
    unreadableId: () => null,
    closed: () => {
      reviews?.close();
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
  const decide = (id: string, decision: Decision, revision?: number) =>
    call<DecideResult>(Method.decide, { id, decision, ...(revision !== undefined && { revision }) });
  return {
    status: () => call(Method.status),
    list: () => call(Method.list),
    get: (id) => call(Method.get, { id }),
    decide,
    mark: (event) => call(Method.mark, { event }),
    announce: (path, text) => call(Method.announce, { path, ...(text !== undefined && { text }) }),
    since: () => call(Method.since, {}),
    undo: (id) => call(Method.undo, { ...(id !== undefined && { id }) }),
    attach: async (reviewer, receiveStatus) => {
      reviews = new RemoteReviews(reviewer, decide);
      onStatus = receiveStatus;
      receiveStatus(await call(Method.review, { name: reviewer.name }));
    },
    pause: () => call(Method.pause),
    resume: () => call(Method.resume),
    mention: (mention) => call(Method.mention, mention),
    disconnect: (id) => call(Method.disconnect, { id }),
    files: () => call(Method.files),
    visibility: (paths) => call(Method.visibility, { paths }),
    readFile: (path) => call(Method.readFile, { path }),
    select: (selection) => call(Method.select, selection),
    diagnostics: () => call(Method.diagnostics),
    watchTraffic: async (receiveTraffic) => {
      onTraffic = receiveTraffic;
      await call(Method.watchTraffic);
    },
    answerHook: (agent, input, about = {}) => call(Method.answerHook, { agent, input, about }),
    environment: () => call(Method.environment),
    log: (count) => call(Method.log, { ...(count !== undefined && { count }) }),
    loggedTexts: (id) => call(Method.loggedTexts, { id }),
    keepText: (path, text) => call(Method.keepText, { path, text }),
    openPage: (options) => call(Method.openPage, options),
    closePage: () => call(Method.closePage),
    pageLogins: () => call(Method.pageLogins),
    revokeLogin: (id) => call(Method.revokeLogin, { id }),
    stop: () => call(Method.stop),
    closed,
    close: () => peer.close(),
  };
}
