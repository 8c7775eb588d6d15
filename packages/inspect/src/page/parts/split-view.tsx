import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface SplitViewProps {
  /** In the plural, such as `tools`. */
  readonly what: string;
  readonly list: ComponentChildren;
  /** What is selected; undefined if nothing is. */
  readonly selected: string | undefined;
  readonly detail: ComponentChildren;
  readonly back: () => void;
}

/** A list and what is selected in it: side by side, or on a narrow screen one instead of the other. */
export function SplitView({ what, list, selected, detail, back }: SplitViewProps) {
  const detailElement = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = detailElement.current;
    if (selected === undefined || element === null) return;
    element.scrollTop = 0;
    // On a narrow screen the list is gone, and the focus with it.
    if (matchMedia(NARROW).matches) element.focus();
  }, [selected]);
  return (
    <div class={`split ${selected === undefined ? 'split-list' : 'split-detail'}`}>
      {list}
      <section
        ref={detailElement}
        class="detail"
        tabIndex={-1}
        aria-label={selected === undefined ? `No ${what} selected` : 'Selected'}
      >
        {selected === undefined ? <p class="nothing">Choose one of the {what}.</p> : null}
        {selected === undefined ? null : (
          <button type="button" class="back link" onClick={back}>
            ← All {what}
          </button>
        )}
        {detail}
      </section>
    </div>
  );
}

const NARROW = '(max-width: 760px)';
