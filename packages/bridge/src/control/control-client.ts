import type { Visibility } from '../access/access.ts';
import type { AboutCall, HookOutput } from '../gate.ts';
import type { DecisionTexts } from '../review/history/history.ts';
import type { Undoing } from '../review/history/undoing.ts';
import type { ChangedSince } from '../review/noticing/since.ts';
import type { Decision, Proposal } from '../review/proposal.ts';
import type { DecideResult, Reviewer } from '../review/reviewer.ts';
import {
  type DiagnosticsList,
  type FileText,
  type FolderFiles,
  type LoggedDecision,
  type Mention,
  Method,
  type ProposalSummary,
  type Status,
  type TrafficBatch,
  type WireSelection,
} from './calls.ts';
import type { OpenedPage, OpenPageOptions, PageLogin } from './pages.ts';
import { RemoteReviews } from './remote-reviews.ts';

/** A running bridge, as its commands see it. Calls reject with an RpcError if the bridge refuses. */
export type ControlClient = ReturnType<typeof clientOn>;

/** Carries the calls of a client. Omits the connection, because published declarations must not import `@hawser/mcp`. */
export interface ControlLine {
  call<Result>(method: string, params?: object): Promise<Result>;
  /** Who gets the events of the bridge. */
  readonly receivers: Receivers;
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

export interface Receivers {
  reviews?: RemoteReviews;
  status?: (status: Status) => void;
  traffic?: (batch: TrafficBatch) => void;
}

export function clientOn({ call, receivers, closed, close }: ControlLine) {
  /** Without a revision, the one that the agent proposed. */
  const decide = (id: string, decision: Decision, revision?: number) =>
    call<DecideResult>(Method.decide, { id, decision, ...(revision !== undefined && { revision }) });
  return {
    status: () => call<Status>(Method.status),
    list: () => call<readonly ProposalSummary[]>(Method.list),
    get: (id: string) => call<Proposal>(Method.get, { id }),
    decide,
    /** Proposes what takes a decision of the history back; without an id, the last one that changed a file here. */
    undo: (id?: string) => call<Undoing>(Method.undo, { ...(id !== undefined && { id }) }),
    /** Remembers the workspace as it is now. `event` is what happens now, in words. */
    mark: (event: string) => call<object>(Method.mark, { event }),
    /** The user is about to write this to a file, or to remove it: no agent does. */
    announce: (path: string, text: string | undefined) =>
      call<object>(Method.announce, { path, ...(text !== undefined && { text }) }),
    /** Proposes what has changed since the workspace was remembered. */
    since: () => call<ChangedSince>(Method.since),
    /** Attaches a reviewer, once per connection. `onStatus` receives the status now and after each change. */
    attach: async (reviewer: Reviewer, receiveStatus: (status: Status) => void) => {
      receivers.reviews = new RemoteReviews(reviewer, decide);
      receivers.status = receiveStatus;
      receiveStatus(await call(Method.review, { name: reviewer.name }));
    },
    pause: () => call<void>(Method.pause),
    resume: () => call<void>(Method.resume),
    mention: (mention: Mention) => call<{ readonly agents: number }>(Method.mention, mention),
    /** Disconnects the agent with this id. */
    disconnect: (id: string) => call<void>(Method.disconnect, { id }),
    /** The files of each workspace folder. */
    files: () => call<readonly FolderFiles[]>(Method.files),
    /** What agents see now of each of these files, at most `MAX_VISIBILITIES`. */
    visibility: (paths: readonly string[]) => call<readonly Visibility[]>(Method.visibility, { paths }),
    readFile: (path: string) => call<FileText>(Method.readFile, { path }),
    /** Does nothing if the editor has a window: what is selected there counts. */
    select: (selection: WireSelection) => call<void>(Method.select, selection),
    diagnostics: () => call<DiagnosticsList>(Method.diagnostics),
    /** `receiveTraffic` gets the messages of agents from now on. */
    watchTraffic: async (receiveTraffic: (batch: TrafficBatch) => void) => {
      receivers.traffic = receiveTraffic;
      await call(Method.watchTraffic);
    },
    /** What the hook of an agent prints, once the user has decided. Closing this client withdraws the question. */
    answerHook: (agent: string, input: unknown, about: AboutCall = {}) =>
      call<HookOutput>(Method.answerHook, { agent, input, about }),
    /** Variables for agents that are started for this bridge. */
    environment: () => call<Readonly<Record<string, string>>>(Method.environment),
    /** What was decided in the folders of the bridge, the newest first. */
    log: (count?: number) => call<readonly LoggedDecision[]>(Method.log, { ...(count !== undefined && { count }) }),
    loggedTexts: (id: string) => call<DecisionTexts>(Method.loggedTexts, { id }),
    /** Writes what the user typed, and what would be lost, to a file. */
    keepText: (path: string, text: string) => call<{ readonly file: string }>(Method.keepText, { path, text }),
    /** Serves the page of the bridge, unless it is served, and makes a link that works once. */
    openPage: (options: OpenPageOptions) => call<OpenedPage>(Method.openPage, options),
    /** Logs all browsers out and serves the page no longer. */
    closePage: () => call<void>(Method.closePage),
    pageLogins: () => call<readonly PageLogin[]>(Method.pageLogins),
    revokeLogin: (id: string) => call<{ readonly isRevoked: boolean }>(Method.revokeLogin, { id }),
    /** Answered before the bridge ends; `closed` resolves when it has. */
    stop: () => call<{ readonly pid: number }>(Method.stop),
    /** Resolves when the connection has ended. */
    closed,
    close,
  };
}
