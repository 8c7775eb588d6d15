import { byKind, count, flag, foreign, list, named, object, oneOf, optional, type TypeOf, text } from './schema.ts';

// The values that messages are made of. Those of LSP have its names and shapes.

const uri = text('a `file:` URI');

const position = named(
  'Position',
  'As in LSP. Characters are UTF-16 code units.',
  object({ line: count('from 0'), character: count('from 0') }),
);
export type Position = TypeOf<typeof position>;

export const range = named(
  'Range',
  'As in LSP: from the start up to, not including, the end.',
  object({ start: position, end: position }),
);
export type Range = TypeOf<typeof range>;

export const workspaceFolder = named(
  'WorkspaceFolder',
  'As in LSP.',
  object({ uri, name: optional(text('for display')) }),
);

export const document = named(
  'Document',
  'A file that is open in the editor, or a text that was never saved.',
  object({
    uri: text('a `file:` URI; of a text without a file `untitled:` and a name'),
    lineCount: optional(count('with the empty line after a final line end; without it, the bridge counts on disk')),
    isActive: optional(flag('the user looks at it; at most one')),
    isDirty: optional(flag('it has unsaved text')),
    isUntitled: optional(flag('it has no file')),
    languageId: optional(text('as in LSP; without it, the bridge goes by the name of the file')),
  }),
);
export type Document = TypeOf<typeof document>;

export const diagnostic = foreign('as in LSP: range, message, severity 1 to 4, source, code');

export const capabilities = named(
  'EditorCapabilities',
  'What the editor can do. What is absent the bridge does itself, or agents are not offered it.',
  object({
    showDocument: optional(flag('answers `window/showDocument`')),
    documents: optional(flag('sends `editor/didChangeDocuments`')),
    save: optional(flag('answers `editor/save`')),
    close: optional(flag('answers `editor/close`')),
    diagnostics: optional(flag('sends `textDocument/publishDiagnostics`')),
    proposals: optional(
      object({
        effects: optional(
          list(
            oneOf(['edit', 'delete', 'command', 'noticed', 'noticedDelete']),
            'the kinds of proposals it shows; default `edit`. Others are shown by other reviewers',
          ),
        ),
        rounds: optional(flag('it shows what changed since the previous round, so it wants the text of that')),
      }),
    ),
    writeText: optional(flag('answers `editor/writeText`')),
    format: optional(flag('answers `editor/format`')),
    reload: optional(flag('wants `workspace/didChangeWatchedFiles`')),
    language: optional(list(text(), 'the language requests of LSP that it answers, by name')),
    textFiles: optional(count('texts of more bytes than this come in private files; without it, all come in messages')),
    test: optional(list(text(), 'the `test/` requests that it answers when it is tested: see "Testing a plugin"')),
  }),
);
export type EditorCapabilities = TypeOf<typeof capabilities>;

const effect = oneOf(
  ['edit', 'delete', 'command', 'noticed', 'noticedDelete'],
  '`edit`: the file gets a new text, or is made. `delete`: the file goes. `command`: `newText` is a command that runs if it is accepted. `noticed`, `noticedDelete`: it has happened already; accepting keeps it, rejecting takes it back',
);

export const mark = oneOf(['accepted', 'rejected', 'undecided']);

const note = named(
  'Note',
  'What the user says about a proposal, to the agent.',
  object({
    text: text(),
    lines: optional(
      object(
        { side: oneOf(['old', 'new']), first: count('from 0'), count: count() },
        'without it, all of the proposal',
      ),
    ),
  }),
);

/** A text, or the file that contains it. */
const textMembers = <Name extends string>(name: Name, what: string) =>
  ({
    [name]: optional(text(what)),
    [`${name}File`]: optional(text('instead of it: the path of a private file with the text, in UTF-8')),
  }) as Record<Name | `${Name}File`, ReturnType<typeof optional<string>>>;

export const hunk = named(
  'Hunk',
  '`[oldLine, oldCount, newLine, newCount]`: lines of `newText` that replace lines of `oldText`, from 0. Only `\\n` ends a line.',
  list(count()),
);

export const sincePrevious = named(
  'SincePrevious',
  'What has changed since the previous round.',
  object({
    hunks: list(hunk, 'from the text of the previous round to the new one'),
    noteLines: list(count(), 'for each note of that round, the line of the new text that it is about now'),
  }),
);

const previousRound = named(
  'PreviousRound',
  'What the same agent proposed for the same file before, if the user asked for changes or rejected it with notes.',
  object({
    round: count('1 for the first'),
    notes: list(note, 'what the user asked for'),
    marks: list(mark, 'what the user had decided on its hunks'),
    ...textMembers('newText', 'what it proposed; only with the capability `proposals.rounds`'),
    since: optional(sincePrevious),
  }),
);

export const proposal = named(
  'Proposal',
  'A change that an agent wants to make to one file, or a command that it wants to run.',
  object({
    id: text(),
    revision: count('one more each time the file changes; a decision names the one that the user saw'),
    uri: text('a `file:` URI; of a command, the folder in which it runs'),
    title: text('what the agent calls it'),
    agent: text('for display'),
    effect,
    base: oneOf(
      ['original', 'merged', 'conflict'],
      '`merged`: the file has changed since, and `newText` contains both changes. `conflict`: `newText` undoes that change',
    ),
    turn: count('proposals of one agent with the same number belong to one prompt'),
    set: optional(
      object(
        { id: text(), title: text(), index: count('from 0'), size: count() },
        'changes of several files that are written together, when all are decided',
      ),
    ),
    advice: optional(text('a sentence for the user')),
    noteDelivery: oneOf(['words', 'mention', 'none'], 'how notes reach this agent; with `none`, offer none'),
    isNewFile: flag('there is no old text'),
    lineEnd: oneOf(
      ['\n', '\r\n'],
      '`\\r\\n`: all lines of both texts end so in the file. The texts of this message, and of the decision, have `\\n`',
    ),
    hasBom: flag('both texts begin with a byte order mark in the file; here they do not'),
    ...textMembers('oldText', 'the text of the file; empty for a new file'),
    ...textMembers('newText', 'what the agent proposes'),
    hunks: list(hunk, 'from top to bottom'),
    marks: optional(list(mark, 'for each hunk, what the user decided on it in the previous round')),
    previous: optional(previousRound),
  }),
);
export type WireProposal = TypeOf<typeof proposal>;

const kept = optional(text('the file in which the text is kept that the user had edited'));

export const outcome = named(
  'Outcome',
  'How a proposal ended. `by` names the place in which the user decided.',
  byKind({
    accepted: object({ text: oneOf(['as proposed', 'changed']), writer: oneOf(['agent', 'bridge']), by: text() }),
    rejected: object({ by: text(), kept }),
    changesRequested: object({ by: text(), kept }),
    withdrawn: object({ reason: text() }),
  }),
);
export type WireOutcome = TypeOf<typeof outcome>;

export const progress = named(
  'Progress',
  'What has become of a decision on a proposal that is still open.',
  byKind({
    undecided: object({}),
    decided: object({ decision: oneOf(['accepted', 'rejected']), by: text() }, 'the rest of its set is undecided'),
    applying: object({ by: text() }, 'it is being written'),
    failed: object(
      { reason: text(), ...textMembers('text', 'the text that could not be written') },
      'nothing was written; the user decides again',
    ),
  }),
);
export type WireProgress = TypeOf<typeof progress>;

const notes = optional(list(note));
const unaccepted = optional(text('what the user had made of it; it is kept in a file'));

export const decision = named(
  'Decision',
  'The user’s answer.',
  byKind({
    accepted: object({
      text: optional(text('the text as the user edited it; without it, the proposal’s')),
      hunks: optional(list(count(), 'only these hunks of that text, by index; without it, all')),
      notes,
    }),
    rejected: object({ text: unaccepted, notes }),
    changesRequested: object({ marks: optional(list(mark, 'for each hunk')), text: unaccepted, notes }),
  }),
);
export type WireDecision = TypeOf<typeof decision>;

export const decideResult = named(
  'DecideResult',
  'What became of a decision.',
  byKind({
    decided: object({ outcome }),
    waiting: object({ decided: count(), size: count() }, 'it takes effect when the rest of the set is decided'),
    ended: object({ outcome }, 'it had ended before'),
    stale: object({ revision: count() }, 'the file has changed since that revision: nothing is decided'),
    failed: object({ reason: text() }, 'it could not be written, and is open as before'),
  }),
);

export const agentState = named(
  'AgentState',
  'An agent that is connected to the bridge.',
  object({
    name: text(),
    version: optional(text()),
    state: oneOf(['waiting', 'initializing', 'ready']),
    kind: optional(text('which of the agents that Hawser knows it is')),
  }),
);
