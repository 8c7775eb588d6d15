import {
  count,
  flag,
  foreign,
  list,
  nothing,
  object,
  oneOf,
  optional,
  type Schema,
  type TypeOf,
  text,
} from './schema.ts';
import {
  agentState,
  capabilities,
  decideResult,
  decision,
  diagnostic,
  document,
  hunk,
  mark,
  outcome,
  progress,
  proposal,
  range,
  sincePrevious,
  workspaceFolder,
} from './shapes.ts';

export const PROTOCOL_VERSION = 1;

/** Codes of errors, besides those of JSON-RPC. */
export const ErrorCode = {
  /** `proposal/decide` and `proposal/hunks`: there is no such proposal any more. */
  unknownProposal: -32001,
  /** A request before `initialize`. */
  notInitialized: -32002,
  /** `initialize`: `data.supported` has the versions that the bridge speaks. */
  unsupportedVersion: -32010,
  /** The request was cancelled by `$/cancelRequest`. */
  cancelled: -32800,
} as const;

export type Sender = 'editor' | 'bridge';

/** A message of the protocol. One with a result is a request, the others are notifications. */
export interface MessageSpec<Params = unknown, Result = unknown> {
  readonly from: Sender;
  readonly description: string;
  readonly params: Schema<Params>;
  readonly result?: Schema<Result>;
}

const about = (more = '') => text(`a \`file:\` URI${more}`);
const deadline = optional(
  count('milliseconds since 1970: an editor that gets to it later answers with an error and does nothing'),
);
const lsp = (what: string) => request('bridge', what, foreign('as in LSP'), foreign('as in LSP, in UTF-16 columns'));

export const messages = {
  initialize: request(
    'editor',
    'The first message. The bridge opens for agents after `initialized`.',
    object({
      protocolVersion: count(`this page describes ${PROTOCOL_VERSION}`),
      processId: optional(count('of the editor')),
      clientInfo: object({ name: text('for display'), version: optional(text()) }),
      workspaceFolders: list(workspaceFolder, 'the main one first'),
      capabilities,
    }),
    object({
      protocolVersion: count(),
      serverInfo: object({ name: text(), version: text() }),
      isShared: flag('the bridge ran before and goes on when this editor leaves'),
    }),
  ),
  initialized: notification(
    'editor',
    'Agents can connect. State that was sent after `initialize` is known to the first of them.',
    nothing,
  ),
  shutdown: request('editor', 'Proposals close; `exit` or the end of the stream follows.', nothing, nothing),
  exit: notification('editor', 'The same as the end of the stream.', nothing),
  '$/cancelRequest': notification(
    'editor',
    'The answer to a request is no longer needed. The bridge may send it too; an editor can ignore it.',
    object({ id: foreign('of the request') }),
  ),

  'editor/didChangeSelection': notification(
    'editor',
    'The selection in the active document, or its cursor. Without a `uri`, there is no active document.',
    object({
      uri: optional(about(', or an `untitled:` one')),
      range: optional(range),
      text: optional(text('what is selected, at most 1 MiB of UTF-16 code units; `range` is cut with it')),
    }),
  ),
  'editor/didChangeDocuments': notification('editor', 'All open documents.', object({ documents: list(document) })),
  'editor/didChangeFolders': notification(
    'editor',
    'All folders of the workspace, the main one first.',
    object({ workspaceFolders: list(workspaceFolder) }),
  ),
  'editor/didSave': notification(
    'editor',
    'The user has written this file, so that the change is not taken for an agent’s.',
    object({ uri: about() }),
  ),
  'textDocument/publishDiagnostics': notification(
    'editor',
    'As in LSP, but from the editor: all problems of one file.',
    object({ uri: about(), diagnostics: list(diagnostic) }),
  ),
  'editor/mention': notification(
    'editor',
    'Points agents to a file, or to the lines of `range`.',
    object({ uri: about(), range: optional(range) }),
  ),
  'editor/pause': notification(
    'editor',
    'Whether agents see nothing and can propose nothing. `bridge/status` confirms it.',
    object({ paused: flag() }),
  ),
  'review/openPage': request(
    'editor',
    'The user wants to review in the browser: serves the page to this machine, and makes a link that logs in one browser, within 10 minutes.',
    object({ open: optional(flag('start the browser of this machine; without it, the editor opens the link')) }),
    object({ link: text('holds a secret: show it to nobody but the user'), isOpen: flag('a browser was started') }),
  ),

  'window/showDocument': request(
    'bridge',
    'As in LSP. Without `takeFocus` it is opened in the background. A file that is open keeps its unsaved text.',
    object({ uri: about(), takeFocus: flag(), selection: optional(range), deadline }),
    object({ success: flag() }),
  ),
  'editor/save': request('bridge', 'Writes an open document.', object({ uri: about(), deadline }), nothing),
  'editor/close': request(
    'bridge',
    'Closes an open document; an error if it has unsaved text.',
    object({ uri: about(), deadline }),
    nothing,
  ),
  'editor/format': request(
    'bridge',
    'What the formatter makes of the text of an open document. Changes nothing.',
    object({ uri: about(), deadline }),
    object({ text: text('with the line ends of the document, without a byte order mark') }),
  ),
  'editor/writeText': request(
    'bridge',
    'Replaces the text of a file and saves it, as one change that the user can undo; creates the file and its folders as needed. An error, and nothing changed, if the document has unsaved text or the file does not contain `expected`. Texts are exact but for a byte order mark, which stays.',
    object({
      uri: about(),
      text: optional(text('the new text')),
      textFile: optional(text('instead of it: a private file with the text')),
      isNewFile: flag('there must be no file'),
      expected: optional(text('what the file contains')),
      expectedFile: optional(text('instead of it: a private file with the text')),
      deadline,
    }),
    nothing,
  ),
  'workspace/didChangeWatchedFiles': notification(
    'bridge',
    'As in LSP: bring the documents of these files up to date, unless they have unsaved text.',
    object({ changes: list(object({ uri: about(), type: count('2: changed') })) }),
  ),
  'window/showMessage': notification(
    'bridge',
    'As in LSP: a sentence for the user.',
    object({ type: count('1 error, 2 warning, 3 information'), message: text() }),
  ),
  'bridge/status': notification(
    'bridge',
    'What the bridge does now; after `initialized` and after each change.',
    object({
      agents: list(agentState),
      paused: flag(),
      proposals: count('how many wait for a decision'),
      environment: foreign('variables for agents that the editor starts in a terminal: an object of texts'),
      name: optional(text('what agents call this editor')),
      address: optional(text('where Claude Code connects')),
      lock: optional(text('the file by which Claude Code finds the bridge')),
      launches: optional(foreign('how agents are started in a terminal: by name, their arguments and variables')),
      reviews: optional(
        list(
          foreign('name, isConnected, review'),
          'for each agent that is installed or connected, whether its changes are reviewed',
        ),
      ),
    }),
  ),

  'proposal/show': request(
    'bridge',
    'Shows a proposal, at once or when there is room. Never waits for the user.',
    proposal,
    object({ state: oneOf(['shown', 'queued']) }),
  ),
  'proposal/update': request(
    'bridge',
    'The file has changed: the same proposal with a new revision. What the user edited stays the user’s.',
    proposal,
    object({ state: oneOf(['shown', 'queued']) }),
  ),
  'proposal/progress': notification(
    'bridge',
    'What has become of the decision.',
    object({ id: text(), revision: count(), progress }),
  ),
  'proposal/close': notification(
    'bridge',
    'It has ended, here or elsewhere. A text that the user has edited is kept in a buffer. Unknown ids are ignored.',
    object({ id: text(), outcome }),
  ),
  'proposal/decide': request(
    'editor',
    'The user has decided. Closing the view without a decision is `rejected`. `proposal/close` comes before the answer or after it.',
    object({ id: text(), revision: count('the one that the user saw'), decision }),
    decideResult,
  ),
  'proposal/hunks': request(
    'editor',
    'For a text that the user edits: its hunks, and which of the choices on the hunks of the text before stay; merged with the change of the file, if the text was made from an earlier revision. Optional.',
    object({
      id: text(),
      text: optional(text('as edited now; without it, the proposal’s')),
      before: optional(text('as it was when the choices were made; without it, the proposal’s')),
      isNext: optional(
        flag('instead of `before`: the choices are on the hunks of the last answer, or of the proposal'),
      ),
      choices: optional(list(mark, 'on the hunks of the text before')),
      revision: optional(count('the one that `text` was made from; if the file has changed since, both are merged')),
      madeFrom: optional(
        text('instead of `revision`: the `newText` that `text` was made from, for a text from before this connection'),
      ),
    }),
    object({
      hunks: list(hunk),
      choices: list(mark, 'for each hunk'),
      text: optional(
        text(
          'merged with the change of the file; the hunks are those of this text. Absent if there is none, or if both changed the same lines: keep the user’s text, and say so',
        ),
      ),
      previous: optional(sincePrevious),
    }),
  ),

  'textDocument/definition': lsp('Where a name is defined.'),
  'textDocument/references': lsp('Where a name is used.'),
  'textDocument/hover': lsp('What a name is.'),
  'textDocument/documentSymbol': lsp('The symbols of a document.'),
  'workspace/symbol': lsp('Symbols of the workspace by name.'),
  'textDocument/rename': lsp('The edits of a rename. The bridge proposes them; nothing is changed here.'),
  'textDocument/codeAction': lsp('Code actions with their edits (resolve them first). Nothing is changed here.'),

  'test/type': hand('The user types: this is the unsaved text of an open document now.', {
    uri: about(),
    text: text('exactly what saving is to write, but for a byte order mark'),
  }),
  'test/select': hand('The user selects in an open document.', { uri: about(), range }),
  'test/mention': hand('The user points agents to a file, or to lines of it.', {
    uri: about(),
    range: optional(range),
  }),
  'test/folder': hand('The user changes to another folder, which is the only workspace folder then.', { path: text() }),
  'test/report': hand('The editor finds this and no other problem in an open document.', { uri: about(), diagnostic }),
  'test/format': request(
    'bridge',
    'The hand of a user, for tests. A file that the formatter changes.',
    nothing,
    object({ name: text('of the file'), text: text(), formatted: text() }),
  ),
  'test/shown': request(
    'bridge',
    'The hand of a user, for tests. Whether the proposal is on the screen.',
    object({ id: text() }),
    object({ isShown: flag() }),
  ),
  'test/says': request(
    'bridge',
    'The hand of a user, for tests. Whether the editor tells the user this about an open proposal.',
    object({ id: text(), words: text() }),
    object({ isSaid: flag() }),
  ),
  'test/decide': hand('The user decides on a proposal, now or when it is shown.', { id: text(), decision }),
  'test/dismiss': hand('The user closes the view of a proposal without a decision.', { id: text() }),
} as const satisfies Readonly<Record<string, MessageSpec>>;

export type Messages = typeof messages;
export type Method = keyof Messages;
export type ParamsOf<M extends Method> = TypeOf<Messages[M]['params']>;
export type ResultOf<M extends Method> = Messages[M] extends { readonly result: infer R } ? TypeOf<R> : never;
type Requests = { [M in Method]: Messages[M] extends { readonly result: unknown } ? M : never }[Method];
type From<S extends Sender> = { [M in Method]: Messages[M] extends { readonly from: S } ? M : never }[Method];
/** The methods of requests, by who sends them. */
export type RequestFrom<S extends Sender> = Requests & From<S>;
/** The methods of notifications, by who sends them. */
export type NotificationFrom<S extends Sender> = Exclude<From<S>, Requests>;

/** The language requests of LSP that an editor may answer. */
export type LanguageMethod = Extract<RequestFrom<'bridge'>, `textDocument/${string}` | 'workspace/symbol'>;

function request<S extends Sender, P, R>(from: S, description: string, params: Schema<P>, result: Schema<R>) {
  return { from, description, params, result } as const;
}

/** What a user does, for tests; answered when it is done. Absent from plugins as users install them. */
function hand<const M extends Readonly<Record<string, Schema<unknown>>>>(description: string, members: M) {
  return request('bridge', `The hand of a user, for tests. ${description}`, object(members), nothing);
}

function notification<S extends Sender, P>(from: S, description: string, params: Schema<P>) {
  return { from, description, params } as const;
}
