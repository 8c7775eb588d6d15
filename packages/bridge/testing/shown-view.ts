import { onTestFinished } from 'vitest';
import type { Screen, View } from '../src/terminal/view.ts';
import { Framed } from './framed.ts';

/** A view in a frame, at a terminal in memory, beside a second view to go to. */
export function shownView<Made extends View>(
  make: (screen: Screen) => Made,
  size?: { columns: number; rows: number },
): { readonly view: Made; readonly at: Framed } {
  let view: Made | undefined;
  const at = new Framed(
    {
      views: (screen) => {
        view = make(screen);
        return [view, OTHER];
      },
    },
    size,
  );
  onTestFinished(() => at.frame.leave());
  return { view: view as Made, at }; // it was just made
}

const OTHER: View = {
  name: 'other',
  title: 'Other',
  help: [],
  hints: '',
  draw: () => [[{ text: 'the other view' }]],
  key: () => 'unknown',
};
