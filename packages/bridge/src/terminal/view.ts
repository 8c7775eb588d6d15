import type { Key } from './keys.ts';
import type { MouseEvent } from './mouse.ts';
import type { Row } from './paint.ts';
import type { Size } from './terminal.ts';

/** One view of the terminal program: review, files, agents. The frame shows one at a time and calls it; it does no output. */
export interface View {
  /** For `Screen.show`, for example `review`. */
  readonly name: string;
  /** In the tab bar. */
  readonly title: string;
  /** Behind the title, for example how many changes wait; empty for nothing. */
  readonly badge?: string;
  /** Its keys, for the help. Those of the frame are added to them. */
  readonly help: readonly KeyHelp[];
  /** The keys that matter now, in a few words, for the last row: `a accept  r reject`. */
  readonly hints: string;
  /** Shown while there is no other message. */
  readonly message?: string;
  /** True while every key belongs to the view, for example to a text field. Ctrl-C, Ctrl-L and Ctrl-Z are never its own. */
  readonly takesAllKeys?: boolean;
  /** At most `size.rows` rows, none wider than `size.columns`. Called only while it is shown, before the next key counts. */
  draw(size: Size): readonly Row[];
  /** Keys of the frame don't arrive here: digits, `?`, `q`, `m` and the keys that the program adds. */
  key(key: Key): 'handled' | 'unknown';
  /** Rows and columns count from the first row of the view. */
  mouse?(event: MouseEvent): void;
  /** Pasted text is not taken for keys. Without this method it is ignored. */
  paste?(text: string): void;
  /** It is on the screen now. */
  activate?(): void;
  deactivate?(): void;
}

export interface KeyHelp {
  /** As the user reads them: `j k ↓ ↑`. */
  readonly keys: string;
  /** `a line down, up` */
  readonly does: string;
}

/** What the frame does for its views. */
export interface Screen {
  /** Draws again, once, after the current turn of the event loop. */
  redraw(): void;
  /** Shows a message until the next key. */
  say(message: string): void;
  /** Shows a question and calls `answer` with the next key; every key but those named in the question means no. */
  ask(question: string, answer: (key: Key) => void): void;
  /** Lets the user type a line in the row of messages. Esc calls `cancel`. */
  prompt(prompt: Prompt): void;
  /** Puts a text into the clipboard of the terminal, if it has one. False if the text is too long for that. */
  copy(text: string): boolean;
  /** Gives the terminal to another program until the work ends. Nothing is drawn meanwhile. */
  lend<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Shows another view. Returns it, so that the caller can go on there; undefined if there is none of that name. */
  show(name: string): View | undefined;
}

export interface Prompt {
  /** Before what is typed: `/`. */
  readonly label: string;
  readonly text?: string;
  /** Called after each key. */
  readonly change?: (text: string) => void;
  readonly enter: (text: string) => void;
  readonly cancel?: () => void;
}
