import type { Terminal } from '../../../terminal/terminal.ts';
import type { OpenReview, Reviewer } from '../../reviewer.ts';
import { ReviewEnded } from '../../reviewer.ts';
import { draw } from './draw.ts';
import type { EditOutcome } from './edit-text.ts';
import { suspend } from './suspend.ts';
import { type BridgeStatus, type Effect, View, type ViewOptions } from './view.ts';

export interface TerminalReviewerOptions {
  readonly terminal: Terminal;
  readonly leaving: ViewOptions['leaving'];
  readonly pause: () => Promise<void>;
  readonly resume: () => Promise<void>;
  /** Lets the user edit a text in the terminal, which is free meanwhile. */
  readonly editText: (path: string, text: string) => Promise<EditOutcome>;
  /** Writes a text that would be lost to a file and returns its path. */
  readonly keepText: (path: string, text: string) => string;
  /** Receives the files of kept texts, once the terminal is given back. */
  readonly onKept: (file: string) => void;
}

/** Shows proposals in a terminal until the user leaves or the bridge ends. */
export interface TerminalReviewer extends Reviewer {
  /** Why the view ended. The terminal has been given back. */
  readonly over: Promise<'left' | 'bridge ended'>;
  setStatus(status: BridgeStatus): void;
  /** Shows a message. */
  say(notice: string): void;
  /** The user's text editor has the terminal. */
  isEditing(): boolean;
  /** The connection to the bridge has ended. */
  bridgeEnded(): void;
  leave(): void;
}

export function openTerminalReviewer(options: TerminalReviewerOptions): TerminalReviewer {
  const { terminal, leaving, editText, keepText, onKept } = options;
  let settle: (why: 'left' | 'bridge ended') => void = () => {};
  const over = new Promise<'left' | 'bridge ended'>((resolve) => {
    settle = resolve;
  });
  let isDrawing = false;
  let isEditing = false;
  let isOver = false;
  let hasBridge = true;
  const kept: string[] = [];

  const redraw = () => {
    if (isDrawing || isEditing) return;
    isDrawing = true;
    setImmediate(() => {
      isDrawing = false;
      terminal.draw(draw(view, terminal.size));
    });
  };
  const end = (why: 'left' | 'bridge ended') => {
    if (isOver) return;
    isOver = true;
    terminal.leave();
    for (const file of kept) onKept(file);
    settle(why);
  };
  const enter = () => {
    if (isOver) return;
    terminal.enter({
      pressed: (key) => {
        // Ctrl-L only asks for a fresh screen.
        if (key !== 'ctrl l') view.pressed(key);
        redraw();
      },
      resized: redraw,
      gone: () => end('left'),
    });
    redraw();
  };
  const keep = (path: string, text: string) => {
    try {
      const file = keepText(path, text);
      kept.push(file);
      view.notice = `Your version is kept in ${file}`;
    } catch (error) {
      view.notice = `Your version could not be kept: ${messageOf(error)}`;
    }
  };

  const decide = async ({ entry, decision }: Effect & { kind: 'decide' }) => {
    const result = await entry.decide(decision);
    if (result.kind === 'decided') view.decided(entry.id, result.outcome);
    else if (result.kind === 'ended') view.decidedBefore(entry.id, result.outcome);
    else if (result.kind === 'stale') view.failed('The file has changed; look at the new diff and decide again.');
    else view.failed('Not decided: the bridge does not know this change any more.');
  };
  const edit = async ({ id, path, text }: Effect & { kind: 'edit' }) => {
    isEditing = true;
    terminal.leave();
    try {
      const outcome = await editText(path, text);
      if (outcome.kind === 'failed') view.notice = outcome.message;
      else if (hasBridge && view.find(id)?.outcome === undefined && view.find(id) !== undefined)
        view.edited(id, outcome.text);
      else if (outcome.text !== text) keep(path, outcome.text);
    } catch (error) {
      view.notice = `Not edited: ${messageOf(error)}`;
    } finally {
      // Whatever happened to the editor, the view takes keys again.
      isEditing = false;
      if (!hasBridge) end('bridge ended');
      enter();
    }
  };
  const run = async (effect: Effect): Promise<void> => {
    switch (effect.kind) {
      case 'decide':
        return decide(effect);
      case 'edit':
        return edit(effect);
      case 'keep':
        return keep(effect.path, effect.text);
      case 'pause':
        return options.pause();
      case 'resume':
        return options.resume();
      case 'suspend':
        if (leaving === 'ask') return;
        terminal.leave();
        return suspend((how) => {
          if (how === 'not stopped') view.notice = 'There is no shell to go back to.';
          enter();
        });
      case 'leave':
        return end('left');
    }
  };
  const view = new View({
    leaving,
    run: (effect) => {
      run(effect).then(redraw, (error: unknown) => {
        view.notice = messageOf(error);
        redraw();
      });
    },
  });

  const show = (review: OpenReview) => {
    const { id } = review.proposal;
    view.added(review);
    review.onRefresh(() => {
      view.refreshed(id);
      redraw();
    });
    review.signal.addEventListener(
      'abort',
      () => {
        const { reason } = review.signal;
        if (reason instanceof ReviewEnded) view.removed(id, reason.outcome);
        redraw();
      },
      { once: true },
    );
    redraw();
  };
  enter();
  return {
    name: 'terminal',
    show,
    over,
    setStatus: (status) => {
      view.status = status;
      redraw();
    },
    say: (notice) => {
      view.notice = notice;
      redraw();
    },
    isEditing: () => isEditing,
    bridgeEnded: () => {
      hasBridge = false;
      // Nothing is drawn while the user's editor has the terminal.
      if (!isEditing) end('bridge ended');
    },
    leave: () => end('left'),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
