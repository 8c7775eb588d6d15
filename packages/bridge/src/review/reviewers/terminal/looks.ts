import { messageOf } from '@hawser/unknown-values/thrown';
import type { Style } from '../../../terminal/paint.ts';
import type { Screen } from '../../../terminal/view.ts';
import type { Search } from '../../viewing/search.ts';
import { type Colouring, noteRanges } from './decoration.ts';
import type { Entry } from './entry.ts';
import type { Decorate } from './page.ts';
import { layered } from './style-ranges.ts';

export interface LooksOptions {
  readonly screen: Screen;
  /** Loads what colours code. It is called after the first frame, once. */
  readonly loadColouring: () => Promise<Colouring>;
}

const MATCH: Style = { colour: 'yellow', isReversed: true, weight: 'bold' };

/** How lines look: colours, once they are loaded, and what the user searches for. */
export class Looks {
  readonly #options: LooksOptions;
  #colouring: Colouring | 'loading' | undefined;
  #search: Search | undefined;

  constructor(options: LooksOptions) {
    this.#options = options;
  }

  get search(): Search | undefined {
    return this.#search;
  }

  setSearch(entry: Entry, search: Search | undefined): void {
    this.#search = search;
    entry.page.forget();
  }

  decorateIn(entry: Entry): Decorate {
    const colouring = this.#colouring;
    const onReady = () => {
      entry.page.forget();
      this.#options.screen.redraw();
    };
    return (line) => {
      const matches = (this.#search?.rangesIn(line) ?? []).map((range) => ({ ...range, style: MATCH }));
      if (colouring === undefined || colouring === 'loading') return layered(noteRanges(line), matches);
      return layered(entry.decorationWith(colouring, onReady).rangesOf(line), matches);
    };
  }

  /** The first frame does not wait for it. */
  load(onLoaded: () => void): void {
    if (this.#colouring !== undefined) return;
    const { screen, loadColouring } = this.#options;
    this.#colouring = 'loading';
    setImmediate(async () => {
      try {
        this.#colouring = await loadColouring();
        onLoaded();
        screen.redraw();
      } catch (error) {
        screen.say(`Code is not coloured: ${messageOf(error)}`);
      }
    });
  }
}
