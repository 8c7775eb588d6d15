import { RpcError } from '@hawser/mcp';
import { Refusal } from '../../../control/calls.ts';
import type { ControlClient } from '../../../control/connect.ts';
import type { Ending } from '../../../desk.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { draw } from './draw.ts';
import type { EditOutcome } from './edit-text.ts';
import { Review, type ReviewOptions, type Wish } from './view.ts';

export interface RunOptions {
  readonly bridge: ControlClient;
  readonly terminal: Terminal;
  readonly leaving: ReviewOptions['leaving'];
  /** Lets the person edit a text in the terminal, which is free meanwhile. */
  readonly editText: (path: string, text: string) => Promise<EditOutcome>;
  /** A text that the person has edited for nothing is kept in this file. */
  readonly onKept: (file: string) => void;
}

export interface ReviewRun {
  /** Why it is over: the person left, or the bridge ended. The terminal has been given back. */
  readonly over: Promise<'left' | 'bridge ended'>;
  /** Says something to the person. */
  say(notice: string): void;
  /** The person's text editor has the terminal. */
  isEditing(): boolean;
  leave(): void;
}

/** Shows proposals in a terminal, for as long as the person likes and the bridge lives. */
export function runReview({ bridge, terminal, leaving, editText, onKept }: RunOptions): ReviewRun {
  let settle: (why: 'left' | 'bridge ended') => void = () => {};
  const over = new Promise<'left' | 'bridge ended'>((resolve) => {
    settle = resolve;
  });
  let isDrawing = false;
  let isEditing = false;
  let isOver = false;
  let hasBridge = true;

  const redraw = () => {
    if (isDrawing) return;
    isDrawing = true;
    setImmediate(() => {
      isDrawing = false;
      terminal.draw(draw(review, terminal.size));
    });
  };
  const end = (why: 'left' | 'bridge ended') => {
    isOver = true;
    terminal.leave();
    settle(why);
  };
  const bridgeEnded = () => {
    hasBridge = false;
    // The person's editor has the terminal; nothing is said over it.
    if (!isEditing) end('bridge ended');
  };
  const enter = () => {
    if (isOver) return;
    terminal.enter({
      pressed: (key) => {
        // Ctrl-L asks for nothing but a fresh screen.
        if (key !== 'ctrl l') review.pressed(key);
        redraw();
      },
      resized: redraw,
      gone: () => end('left'),
    });
    redraw();
  };

  const decide = async ({ id, choice }: Wish & { kind: 'decide' }) => {
    try {
      review.decided(id, await bridge.decide(id, choice));
    } catch (error) {
      if (error instanceof RpcError && error.code === Refusal.endedAlready) {
        review.decidedBefore(id, error.data as Ending);
      } else {
        review.failed(id, messageOf(error));
      }
    }
  };
  const edit = async ({ id, path, text }: Wish & { kind: 'edit' }) => {
    isEditing = true;
    terminal.leave();
    const outcome = await editText(path, text);
    isEditing = false;
    const isOpen = hasBridge && review.current?.summary.id === id && review.current.ending === undefined;
    if (outcome.kind === 'edited' && !isOpen) {
      // Somebody's work is not thrown away because an agent was impatient.
      review.notice = `It has ended meanwhile; your text is kept in ${outcome.file}`;
      onKept(outcome.file);
    } else {
      if (outcome.kind === 'edited') review.edited(id, outcome.text);
      else review.notice = outcome.message;
      await outcome.release();
    }
    if (!hasBridge) end('bridge ended');
    enter();
  };
  const load = async (id: string) => {
    try {
      review.loaded(await bridge.get(id));
    } catch (error) {
      review.failed(id, messageOf(error));
    }
  };
  const grant = async (wish: Wish): Promise<void> => {
    switch (wish.kind) {
      case 'load':
        return load(wish.id);
      case 'decide':
        return decide(wish);
      case 'edit':
        return edit(wish);
      case 'pause':
        return bridge.pause();
      case 'resume':
        return bridge.resume();
      case 'suspend':
        if (leaving === 'ask') return;
        terminal.leave();
        return suspend((how) => {
          if (how === 'not stopped') review.notice = 'There is no shell to go back to.';
          enter();
        });
      case 'leave':
        return end('left');
    }
  };

  const review = new Review({
    leaving,
    wish: (wish) => {
      grant(wish).then(redraw, (error: unknown) => {
        review.notice = messageOf(error);
        redraw();
      });
    },
  });
  const told = (change: () => void) => {
    change();
    if (!isEditing) redraw();
  };
  bridge
    .watch({
      came: (summary) => told(() => review.came(summary)),
      went: ({ id, ending }) => told(() => review.went(id, ending)),
      changed: (status) =>
        told(() => {
          review.status = status;
        }),
    })
    .then(
      ({ status, proposals }) =>
        told(() => {
          review.status = status;
          for (const summary of proposals) review.came(summary);
          review.notice = '';
        }),
      bridgeEnded,
    );
  void bridge.closed.then(bridgeEnded);
  enter();
  return {
    over,
    say: (notice) =>
      told(() => {
        review.notice = notice;
      }),
    isEditing: () => isEditing,
    leave: () => end('left'),
  };
}

/** As any program does at Ctrl-Z: the shell comes back, and later we do. */
function suspend(enter: (how: 'continued' | 'not stopped') => void): void {
  const continued = () => {
    clearTimeout(timer);
    enter('continued');
  };
  process.once('SIGCONT', continued);
  // Where no shell could bring us back, the system does not stop us. Signals that wait are heard before an immediate.
  const notStopped = () =>
    setImmediate(() => {
      if (!process.listeners('SIGCONT').includes(continued)) return;
      process.off('SIGCONT', continued);
      enter('not stopped');
    });
  const timer = setTimeout(notStopped, 200);
  process.kill(process.pid, 'SIGTSTP');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
