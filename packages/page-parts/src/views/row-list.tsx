import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

export interface RowListProps {
  readonly count: number;
  /** A row of the list. It has `data-row` with its index. */
  readonly row: (index: number) => ComponentChildren;
  /** Pixels of a row that was not measured yet. */
  readonly rowHeight: number;
  /** The row to bring into view, and how; once for each object. */
  readonly wanted?: WantedRow | undefined;
  /** Rows that are in view, after each change. */
  readonly onView?: ((first: number, last: number) => void) | undefined;
}

export interface WantedRow {
  readonly row: number;
  readonly align: 'nearest' | 'start';
}

const BLOCK_ROWS = 40;
/** Rows so far outside of the view are made. */
const MARGIN_PX = 400;

/**
 * A long list, of which only the rows near the view are made. They come in blocks: a block that is away has the height that
 * it had when it was last seen.
 */
export function RowList({ count, row, rowHeight, wanted, onView }: RowListProps) {
  const list = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState<ReadonlySet<number>>(new Set([0, 1]));
  const heights = useMemo(() => new Map<number, number>(), [count, rowHeight]);
  const blocks = Math.ceil(count / BLOCK_ROWS);
  useEffect(() => {
    const element = list.current;
    if (element === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) =>
        setNear((before) => {
          const after = new Set(before);
          for (const { target, isIntersecting } of entries) {
            const block = Number((target as HTMLElement).dataset.block);
            if (isIntersecting) after.add(block);
            else after.delete(block);
          }
          return after;
        }),
      { root: scrollerOf(element), rootMargin: `${MARGIN_PX}px 0px` },
    );
    for (const block of element.children) observer.observe(block);
    return () => observer.disconnect();
  }, [blocks]);
  useLayoutEffect(() => {
    for (const element of list.current?.children ?? []) {
      const block = Number((element as HTMLElement).dataset.block);
      if (near.has(block)) heights.set(block, (element as HTMLElement).offsetHeight);
    }
  });
  useEffect(() => {
    const element = list.current;
    if (element === null || wanted === undefined) return;
    const block = Math.floor(wanted.row / BLOCK_ROWS);
    if (!near.has(block)) {
      element.children[block]?.scrollIntoView({ block: 'start' });
      setNear((before) => new Set([...before, block]));
    }
    requestAnimationFrame(() => rowIn(element, wanted.row)?.scrollIntoView({ block: wanted.align }));
  }, [wanted]);
  useEffect(() => {
    const element = list.current;
    const scroller = element === null ? null : scrollerOf(element);
    if (element === null || scroller === null || onView === undefined) return undefined;
    const look = () => {
      const { top, bottom } = scroller.getBoundingClientRect();
      const inView = [...element.querySelectorAll<HTMLElement>('[data-row]')].filter((each) => {
        const box = each.getBoundingClientRect();
        return box.bottom > top && box.top < bottom;
      });
      onView(Number(inView[0]?.dataset.row ?? 0), Number(inView.at(-1)?.dataset.row ?? 0));
    };
    const frame = requestAnimationFrame(look);
    let isDue = false;
    const scrolled = () => {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(() => {
        isDue = false;
        look();
      });
    };
    scroller.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      scroller.removeEventListener('scroll', scrolled);
    };
  }, [count, onView]);
  return (
    <div ref={list} class="row-list">
      {Array.from({ length: blocks }, (_, block) => {
        const first = block * BLOCK_ROWS;
        const size = Math.min(BLOCK_ROWS, count - first);
        const height = heights.get(block) ?? size * rowHeight;
        return near.has(block) ? (
          <div key={block} data-block={block}>
            {Array.from({ length: size }, (__, index) => row(first + index))}
          </div>
        ) : (
          <div key={block} data-block={block} style={{ height: `${height}px` }} />
        );
      })}
    </div>
  );
}

function rowIn(list: HTMLElement, row: number): Element | null {
  return list.querySelector(`[data-row="${row}"]`);
}

function scrollerOf(element: HTMLElement): HTMLElement | null {
  return element.closest<HTMLElement>('.scroller');
}
