import type { SharedEditor } from './access/shared-editor.ts';
import type { UserPlaces } from './discovery/format.ts';
import type { Layer } from './hold/layer.ts';
import type { ReviewQueue } from './review/queue.ts';

/**
 * Asks the user before a tool of an agent changes something. The agent runs `hawser gate hook` before each such tool; the
 * hook's input becomes proposals, and the user's decision an answer in the agent's own words.
 */
export interface Gate {
  /** Reads what the agent gave its hook. Throws an Error if that is not what this gate knows. */
  read(input: unknown): GateCall;
  /** What the hook prints when the user has decided. */
  answer(input: unknown, verdict: Verdict): HookOutput;
  /** What the hook prints when there is no decision. Needs no input, which may be what went wrong. */
  refuse(reason: string): HookOutput;
  /** How the agent is made to run the hook. */
  readonly hook: HookSetting;
  /** Whether this is the input of the hook that the agent runs when its user sends a prompt; absent if it runs none. */
  readonly isPrompt?: (input: unknown) => boolean;
  /** For an agent whose hook can put another command in a command's place, and that runs a hook after it. */
  readonly holding?: HoldingHook;
  /** The name of the agent that gave this input, if another one runs this agent's hook, too. */
  readonly ranBy?: (input: unknown) => string | undefined;
  /** For an agent that runs the tool after a short time, whatever its hook does. */
  readonly slices?: CallSlices;
  /** The agent runs the tool with its own input only. The bridge writes what was accepted otherwise. */
  readonly ignoresRewriting?: true;
}

/** A shell command runs over a layer, and what it changed is reviewed after it. */
export interface HoldingHook {
  /** What the hook prints so that the agent runs this command instead. Whether it asks its user about it is left to the agent. */
  replace(input: unknown, command: string): HookOutput;
  /** What the hook after a command prints, for the model to read. */
  tell(input: unknown, words: string): HookOutput;
}

/** Its call is refused in time, and the proposal stays; the same call, made again, gets the decision. */
export interface CallSlices {
  readonly seconds: number;
  /** Equal for calls that do the same. */
  key(input: unknown): string;
}

/** What a tool is about to do. */
export type GateCall =
  /** Nothing for the user to decide. */
  | { readonly kind: 'ignored' }
  /** The same, and the hook prints this. */
  | { readonly kind: 'answered'; readonly output: HookOutput }
  | EditsCall
  /** It runs as a whole, or not at all. */
  | (CallSource & {
      readonly kind: 'command';
      readonly title: string;
      readonly text: string;
      /** Of a command of a shell. */
      readonly shell?: ShellCall;
    })
  /** A shell command has ended. `text` is the command. */
  | (CallSource & { readonly kind: 'ran'; readonly text: string });

export interface ShellCall {
  /** Why it can't be held; absent if it can. */
  readonly unheld?: string;
}

export interface EditsCall extends CallSource {
  readonly kind: 'edits';
  readonly title: string;
  readonly edits: readonly FileEdit[];
}

export interface CallSource {
  /** The conversation; calls of one belong together. */
  readonly session: string | undefined;
  /** Relative paths are in this folder. */
  readonly cwd: string;
}

/** What a tool does to one file. Texts have LF alone and no byte order mark. */
export interface FileEdit {
  /** As the agent wrote it. */
  readonly path: string;
  /** Where the file is before, if it moves. */
  readonly movedFrom?: string;
  /** The new text, `deleted`, or an Error that says why it can't be known. `oldText` is undefined if there is no file. */
  apply(oldText: string | undefined): string | Deleted | Error;
}

export type Deleted = { readonly kind: 'deleted' };

/** What the user decided about a call. */
export type Verdict =
  /** As the agent made it. `words` is what the user says about it. */
  | { readonly kind: 'allowed'; readonly words?: string }
  /** These files get these texts, and no others. `words` says how that differs from what the agent asked for, or is empty. */
  | { readonly kind: 'accepted'; readonly files: readonly AcceptedFile[]; readonly words: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** What the user decided, checked against the files as they are when the agent is answered. */
export type AwaitVerdict = () => Promise<Verdict>;

export interface AcceptedFile {
  readonly edit: FileEdit;
  readonly oldText: string | undefined;
  /** Undefined if the file goes. */
  readonly text: string | undefined;
}

export interface HookOutput {
  /** Empty for nothing. */
  readonly stdout: string;
  readonly exitCode: number;
}

/** The hook in the agent's configuration. */
export interface HookSetting {
  path(scope: HookScope, places: HookPlaces): string;
  /** Entries of lists in a JSON file, or a file of our own. */
  readonly content: readonly HookEntry[] | HookFile;
  /** The setting in these files that keeps the agent from running any hook. The project's comes before the user's. */
  readonly offSwitch?: { readonly at: readonly [string, ...string[]]; readonly value: boolean };
  /** The files of plugins and extensions that may bring the hook, as far as the agent uses them. */
  readonly pluginFiles?: (places: HookPlaces, read: (path: string) => string | undefined) => readonly string[];
  /** What the user has to do before the agent runs the hook; undefined if nothing. */
  readonly trust?: HookTrust;
}

export interface HookEntry {
  /** Names from the outermost object inwards; the last one is a list. */
  readonly at: readonly [string, ...string[]];
  /** `command` is the shell command that runs the hook. Undefined if these options need no such entry. */
  value(command: string, options: HookOptions): object | undefined;
}

/** A file that is ours alone. */
export interface HookFile {
  /** `words` are the program that is the hook, and its arguments. */
  text(words: readonly string[], options: HookOptions): string;
}

/** The agent runs the hook only after its user has trusted it. */
export interface HookTrust {
  readonly advice: string;
  /** The file in which the agent notes that, and a text in it that names the hook. */
  noted(hookFile: string, places: HookPlaces): { readonly path: string; readonly text: string };
}

export type HookScope = 'user' | 'project';

export interface HookPlaces extends UserPlaces {
  readonly workspace: string;
}

export interface HookOptions {
  /** Whether shell commands are shown before they run, or what they changed after that. */
  readonly shell: 'ask' | 'hold' | 'allow';
}

/** Longer than anybody takes to decide. The agent runs the tool after it, so the hook answers before. */
export const HOOK_SECONDS = 86_400;

/** Why commands of agents whose hook has no `holding` are not held. */
export const UNREPLACED = "the agent's hook can't put another command in its place";

/** A prompt waits this long for the bridge to remember the workspace. */
export const PROMPT_SECONDS = 10;

/** Answers a hook of an agent when the user has decided. Aborting the signal withdraws the question. Rejects if it can't be answered. */
export type AnswerHook = (agent: string, input: unknown, signal: AbortSignal, about?: AboutCall) => Promise<HookOutput>;

/** What the hook knows of a call besides its input. */
export interface AboutCall {
  /** The layers of commands that have ended. */
  readonly layers?: readonly Layer[] | undefined;
  /** Why the command is shown and not held. */
  readonly unheld?: string | undefined;
}

/** What answering needs of a bridge. */
export interface GatedBridge {
  readonly editor: SharedEditor;
  readonly reviews: ReviewQueue;
}
