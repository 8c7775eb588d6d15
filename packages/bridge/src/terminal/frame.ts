import { clip } from '@hawser/terminal-text/wrapping';
import { DIM } from './fit-row.ts';
import { type FrameOptions, frameHelp } from './frame-options.ts';
import { barRow, messageRows, type Tab, tabBar } from './frame-rows.ts';
import { HelpPage } from './help-page.ts';
import type { Key } from './keys.ts';
import type { MouseEvent } from './mouse.ts';
import type { Row } from './paint.ts';
import { suspend } from './suspend.ts';
import type { Terminal } from './terminal.ts';
import { TextField } from './text-field.ts';
import type { Prompt, Screen, View } from './view.ts';

type Overlay =
  | { readonly kind: 'help'; readonly page: HelpPage }
  | { readonly kind: 'question'; readonly text: string; readonly answer: (key: Key) => void }
  | { readonly kind: 'prompt'; readonly field: TextField; readonly prompt: Prompt };

/** The least that the view has of a small screen, unless the user is asked something. */
const LEAST_ROWS = 3;
const MAX_MESSAGE_ROWS = 3;

/** The terminal program: owns the terminal, shows one view with a tab bar, a status and messages, and sends it the keys. */
export class Frame implements Screen {
  /** Resolves when the terminal has been given back for good. */
  readonly over: Promise<void>;
  readonly #options: FrameOptions;
  readonly #terminal: Terminal;
  readonly #views: readonly [View, ...View[]];
  #settle = () => {};
  #current: View;
  #overlay: Overlay | undefined;
  #status = 'hawser';
  #notice = '';
  #isDue = false;
  #isLent = false;
  #isOver = false;
  #isLeaving = false;
  #tabs: readonly Tab[] = [];
  /** The rows of the screen that the view has. */
  #body = { first: 0, rows: 0 };

  constructor(options: FrameOptions) {
    this.#options = options;
    this.#terminal = options.terminal;
    this.over = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#views = options.views(this);
    this.#current = this.#views[0];
    this.#enter();
    this.#current.activate?.();
  }

  /** Another program has the terminal. */
  get isLent(): boolean {
    return this.#isLent;
  }

  setStatus(status: string): void {
    this.#status = status;
    this.redraw();
  }

  readonly redraw = (): void => {
    if (this.#isDue || this.#isLent || this.#isOver) return;
    this.#isDue = true;
    setImmediate(() => this.#drawIfDue());
  };

  say(message: string): void {
    this.#notice = message;
    this.redraw();
  }

  ask(text: string, answer: (key: Key) => void): void {
    this.#overlay = { kind: 'question', text, answer };
    this.redraw();
  }

  prompt(prompt: Prompt): void {
    this.#overlay = { kind: 'prompt', field: new TextField(prompt.label, prompt.text), prompt };
    this.redraw();
  }

  copy(text: string): boolean {
    return this.#terminal.copy(text);
  }

  async lend<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#isLent = true;
    this.#terminal.leave();
    try {
      return await work();
    } finally {
      // Whatever happened to the program, keys are taken again.
      this.#isLent = false;
      this.#enter();
    }
  }

  show(name: string): View | undefined {
    const view = this.#views.find((each) => each.name === name);
    if (view !== undefined && view !== this.#current) {
      this.#current.deactivate?.();
      this.#current = view;
      view.activate?.();
      this.redraw();
    }
    return view;
  }

  /** Gives the terminal back for good. Safe to call twice. */
  readonly leave = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#terminal.leave();
    this.#settle();
  };

  /** The same, but not while another program has the terminal. */
  leaveWhenFree(): void {
    this.#isLeaving = true;
    if (!this.#isLent) this.leave();
  }

  #enter(): void {
    if (this.#isLeaving) this.leave();
    if (this.#isOver) return;
    this.#terminal.enter({
      key: (key) => this.#key(key),
      paste: (text) => this.#paste(text),
      mouse: (event) => this.#mouse(event),
      resized: this.redraw,
      gone: this.leave,
    });
    this.redraw();
  }

  #key(key: Key): void {
    // A key counts for what the user sees: several that arrive at once must not decide what was never drawn.
    this.#drawIfDue();
    this.#press(key);
    this.redraw();
  }

  #press(key: Key): void {
    const overlay = this.#overlay;
    if (key === 'ctrl l') this.#terminal.forget();
    else if (key === 'ctrl z') this.#suspend();
    else if (overlay?.kind === 'question') {
      this.#overlay = undefined;
      overlay.answer(key);
    } else if (key === 'ctrl c') this.#requestLeave();
    else if (overlay?.kind === 'prompt') this.#type(overlay, key);
    else if (overlay?.kind === 'help') {
      if (overlay.page.key(key) === 'unknown') this.#overlay = undefined;
    } else {
      this.#notice = '';
      if (this.#current.takesAllKeys === true) this.#current.key(key);
      else if (!this.#pressAnywhere(key) && this.#current.key(key) === 'unknown') {
        this.#notice = `No such key: ${key}. ? shows the keys.`;
      }
    }
  }

  /** False if it is not a key of the frame. */
  #pressAnywhere(key: Key): boolean {
    const view = /^[1-9]$/.test(key) ? this.#views[Number(key) - 1] : undefined;
    const more = this.#options.keys.find((each) => each.key === key);
    if (view !== undefined) this.show(view.name);
    else if (more !== undefined) more.press();
    else if (key === '?') this.#showHelp();
    else if (key === 'q' || key === 'ctrl d') this.#requestLeave();
    else if (key === 'm') this.#switchMouse();
    else return false;
    return true;
  }

  /** Ctrl-C answers the question with yes, so that two of them always end the program. */
  #requestLeave(): void {
    const question = this.#options.leaveQuestion();
    const answer = (key: Key) => {
      if (key === 'y' || key === 'ctrl c') this.leave();
    };
    if (question === undefined) this.leave();
    else this.ask(question, answer);
  }

  #switchMouse(): void {
    this.#terminal.hasMouse = !this.#terminal.hasMouse;
    this.#notice = this.#terminal.hasMouse
      ? 'The mouse scrolls and clicks here; m gives it back to the terminal.'
      : 'The mouse is the terminal’s own now; m takes it back.';
  }

  #suspend(): void {
    if (this.#options.suspending === 'ignored') {
      this.#notice = 'Ctrl-Z does nothing here: agents would wait for the bridge.';
      return;
    }
    this.#terminal.leave();
    suspend((how) => {
      if (how === 'not stopped') this.#notice = 'There is no shell to go back to.';
      this.#enter();
    });
  }

  #type({ field, prompt }: Overlay & { kind: 'prompt' }, key: Key): void {
    if (key === 'enter' || key === 'escape') {
      this.#overlay = undefined;
      if (key === 'enter') prompt.enter(field.text);
      else prompt.cancel?.();
    } else if (field.key(key) === 'handled') prompt.change?.(field.text);
  }

  #paste(text: string): void {
    this.#drawIfDue();
    if (this.#overlay?.kind === 'prompt') {
      const { field, prompt } = this.#overlay;
      field.paste(text);
      prompt.change?.(field.text);
    } else if (this.#overlay === undefined) this.#current.paste?.(text);
    this.redraw();
  }

  #mouse(event: MouseEvent): void {
    this.#drawIfDue();
    const { row, column } = event;
    const { first, rows } = this.#body;
    const tab = row === 0 ? this.#tabs.find(({ from, to }) => column >= from && column < to) : undefined;
    const chosen = tab === undefined ? undefined : this.#views[tab.view];
    if (this.#overlay?.kind === 'help' && event.kind === 'wheel') {
      this.#overlay.page.key(event.step === 1 ? 'down' : 'up');
    } else if (this.#overlay !== undefined) return;
    else if (chosen !== undefined && event.kind === 'click') this.show(chosen.name);
    else if (row >= first && row < first + rows) this.#current.mouse?.({ ...event, row: row - first });
    this.redraw();
  }

  #drawIfDue(): void {
    if (!this.#isDue || this.#isLent || this.#isOver) return;
    this.#isDue = false;
    this.#terminal.draw(this.#rows());
  }

  #rows(): readonly Row[] {
    const { columns, rows } = this.#terminal.size;
    const { row, tabs } = tabBar(this.#views, this.#current, columns);
    const head = [...(this.#views.length > 1 ? [row] : []), barRow(this.#status, columns)];
    const isAsking = this.#overlay?.kind === 'question' || this.#overlay?.kind === 'prompt';
    const most = Math.max(0, rows - (isAsking ? 1 : LEAST_ROWS));
    const message = this.#messageRows(columns, most);
    const footRows = Math.min(most, Math.max(1, message.length) + 1);
    const keptHead = head.slice(0, Math.max(0, rows - LEAST_ROWS - footRows));
    const room = rows - keptHead.length - footRows;
    this.#tabs = this.#views.length > 1 && keptHead.length > 0 ? tabs : [];
    this.#body = { first: keptHead.length, rows: room };
    const body = this.#bodyRows(columns, room).slice(0, room);
    const padding = Array.from({ length: room - body.length }, (): Row => []);
    const hints: Row = [{ text: clip(this.#hints(), columns), style: DIM }];
    const spacer: Row[] = message.length === 0 && footRows > 1 ? [[]] : [];
    return [...keptHead, ...body, ...padding, ...[...spacer, ...message, hints].slice(0, footRows)];
  }

  /** A question is shown whole if there is any room. */
  #messageRows(columns: number, most: number): readonly Row[] {
    const overlay = this.#overlay;
    if (overlay?.kind === 'prompt') return [overlay.field.row(columns)].slice(0, most);
    if (overlay?.kind === 'question') return messageRows(overlay.text, columns, most);
    const text = this.#notice === '' ? (this.#current.message ?? '') : this.#notice;
    return messageRows(text, columns, Math.min(most, MAX_MESSAGE_ROWS));
  }

  #bodyRows(columns: number, rows: number): readonly Row[] {
    return (this.#overlay?.kind === 'help' ? this.#overlay.page : this.#current).draw({ columns, rows });
  }

  #showHelp(): void {
    const { title, help } = this.#current;
    this.#overlay = { kind: 'help', page: new HelpPage(title, help, frameHelp(this.#options, this.#views.length)) };
  }

  #hints(): string {
    switch (this.#overlay?.kind) {
      case 'help':
        return this.#overlay.page.hint;
      case 'prompt':
        return 'Enter confirms, Esc cancels';
      default: {
        const { hints, takesAllKeys } = this.#current;
        const everywhere = takesAllKeys === true ? [] : ['? help', `q ${this.#options.leaveHint}`];
        return [hints, ...everywhere].filter((hint) => hint !== '').join('  ');
      }
    }
  }
}
