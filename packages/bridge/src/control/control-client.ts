import type { Visibility } from '../access/access.ts';
import type { AboutCall, HookOutput } from '../gate.ts';
import type { DecisionTexts } from '../review/history/history.ts';
import type { Undoing } from '../review/history/undoing.ts';
import type { ChangedSince } from '../review/noticing/since.ts';
import type { Decision, Proposal } from '../review/proposal.ts';
import type { DecideResult, Reviewer } from '../review/reviewer.ts';
import type {
  DiagnosticsList,
  FileText,
  FolderFiles,
  LoggedDecision,
  Mention,
  ProposalSummary,
  Status,
  TrafficBatch,
  WireSelection,
} from './calls.ts';
import type { OpenedPage, OpenPageOptions, PageLogin } from './pages.ts';

/** A running bridge, as its commands see it. Calls reject with an RpcError if the bridge refuses. */
export interface ControlClient {
  status(): Promise<Status>;
  list(): Promise<readonly ProposalSummary[]>;
  get(id: string): Promise<Proposal>;
  /** Without a revision, the one that the agent proposed. */
  decide(id: string, decision: Decision, revision?: number): Promise<DecideResult>;
  /** Proposes what takes a decision of the history back; without an id, the last one that changed a file here. */
  undo(id?: string): Promise<Undoing>;
  /** Remembers the workspace as it is now. `event` is what happens now, in words. */
  mark(event: string): Promise<object>;
  /** The user is about to write this to a file, or to remove it: no agent does. */
  announce(path: string, text: string | undefined): Promise<object>;
  /** Proposes what has changed since the workspace was remembered. */
  since(): Promise<ChangedSince>;
  /** Attaches a reviewer, once per connection. `onStatus` receives the status now and after each change. */
  attach(reviewer: Reviewer, onStatus: (status: Status) => void): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  mention(mention: Mention): Promise<{ readonly agents: number }>;
  /** Disconnects the agent with this id. */
  disconnect(id: string): Promise<void>;
  /** The files of each workspace folder. */
  files(): Promise<readonly FolderFiles[]>;
  /** What agents see now of each of these files, at most `MAX_VISIBILITIES`. */
  visibility(paths: readonly string[]): Promise<readonly Visibility[]>;
  readFile(path: string): Promise<FileText>;
  /** Does nothing if the editor has a window: what is selected there counts. */
  select(selection: WireSelection): Promise<void>;
  diagnostics(): Promise<DiagnosticsList>;
  /** `receive` gets the messages of agents from now on. */
  watchTraffic(receive: (batch: TrafficBatch) => void): Promise<void>;
  /** What the hook of an agent prints, once the user has decided. Closing this client withdraws the question. */
  answerHook(agent: string, input: unknown, about?: AboutCall): Promise<HookOutput>;
  /** Variables for agents that are started for this bridge. */
  environment(): Promise<Readonly<Record<string, string>>>;
  /** What was decided in the folders of the bridge, the newest first. */
  log(count?: number): Promise<readonly LoggedDecision[]>;
  loggedTexts(id: string): Promise<DecisionTexts>;
  /** Writes what the user typed, and what would be lost, to a file. */
  keepText(path: string, text: string): Promise<{ readonly file: string }>;
  /** Serves the page of the bridge, unless it is served, and makes a link that works once. */
  openPage(options: OpenPageOptions): Promise<OpenedPage>;
  /** Logs all browsers out and serves the page no longer. */
  closePage(): Promise<void>;
  pageLogins(): Promise<readonly PageLogin[]>;
  revokeLogin(id: string): Promise<{ readonly isRevoked: boolean }>;
  /** Answered before the bridge ends; `closed` resolves when it has. */
  stop(): Promise<{ readonly pid: number }>;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}
