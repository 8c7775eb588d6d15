import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Listing } from '../inspection.ts';
import { Nothing, ProblemBox } from './basics.tsx';
import { Name } from './text.tsx';

export interface ListRow {
  readonly key: string;
  /** What the filter looks at, in lower case. */
  readonly searched: string;
  readonly content: ComponentChildren;
}

/** The row of something with a name, and with a line about it. */
export function namedRow(
  name: string,
  { line, searched }: { readonly line: string; readonly searched: string },
): ListRow {
  return {
    key: name,
    searched: `${name} ${searched}`.toLowerCase(),
    content: (
      <>
        <span class="row-name">
          <Name text={name.slice(0, 200)} />
        </span>
        <span class="row-text">
          <Name text={line.slice(0, 200)} />
        </span>
      </>
    ),
  };
}

export interface ListPaneProps {
  /** In the plural, such as `tools`. */
  readonly what: string;
  readonly listing: Listing<unknown>;
  readonly rows: readonly ListRow[];
  readonly selected: string | undefined;
  readonly select: (key: string) => void;
  readonly reload: () => void;
}

/** More rows are drawn when the user asks for them. */
const ROWS_AT_ONCE = 200;

/** A list with a filter. It is one stop of the Tab key; the arrow keys move within it. */
export function ListPane({ what, listing, rows, selected, select, reload }: ListPaneProps) {
  const [filter, setFilter] = useState('');
  const [limit, setLimit] = useState(ROWS_AT_ONCE);
  const [current, setCurrent] = useState<string | undefined>(undefined);
  const list = useRef<HTMLUListElement>(null);
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const found =
    words.length === 0 ? rows : rows.filter(({ searched }) => words.every((word) => searched.includes(word)));
  const shown = found.slice(0, limit);
  const stop = [current, selected, shown[0]?.key].find(
    (key) => key !== undefined && shown.some((row) => row.key === key),
  );
  useEffect(() => setLimit(ROWS_AT_ONCE), [filter]);
  const move = (event: KeyboardEvent) => {
    const buttons = [...(list.current?.querySelectorAll<HTMLButtonElement>('.row') ?? [])];
    const target = targetOf(event.key, buttons, document.activeElement);
    if (target === undefined) return;
    event.preventDefault();
    target.focus();
  };
  return (
    <div class="list-pane">
      <div class="list-tools">
        <label class="grow">
          <span class="sr-only">Filter {what}</span>
          <input
            type="search"
            placeholder={`Filter ${what}`}
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
        <button type="button" onClick={reload} disabled={listing.kind === 'loading'}>
          {listing.kind === 'loading' ? 'Loading…' : 'Reload'}
        </button>
      </div>
      {listing.kind === 'failed' ? <ProblemBox problem={{ message: listing.problem }} /> : null}
      <p class="count" role="status">
        {rows.length === 0 && listing.kind !== 'loaded' ? '' : countInWords(found.length, rows.length, what)}
      </p>
      {rows.length === 0 && listing.kind === 'loaded' ? <Nothing>The server has no {what}.</Nothing> : null}
      <ul ref={list} class="rows" aria-label={what} onKeyDown={move}>
        {shown.map(({ key, content }) => (
          <li key={key}>
            <button
              type="button"
              class="row"
              aria-current={key === selected ? 'true' : undefined}
              tabIndex={key === stop ? 0 : -1}
              onFocus={() => setCurrent(key)}
              onClick={() => select(key)}
            >
              {content}
            </button>
          </li>
        ))}
      </ul>
      {found.length > limit ? (
        <button type="button" class="more" onClick={() => setLimit(limit + ROWS_AT_ONCE)}>
          Show {Math.min(ROWS_AT_ONCE, found.length - limit)} more of {found.length}
        </button>
      ) : null}
    </div>
  );
}

function countInWords(found: number, all: number, what: string): string {
  return found === all ? `${all} ${what}` : `${found} of ${all} ${what}`;
}

function targetOf(
  key: string,
  buttons: readonly HTMLButtonElement[],
  active: Element | null,
): HTMLButtonElement | undefined {
  const at = buttons.indexOf(active as HTMLButtonElement);
  if (at < 0) return undefined;
  switch (key) {
    case 'ArrowDown':
      return buttons[at + 1];
    case 'ArrowUp':
      return buttons[at - 1];
    case 'Home':
      return buttons[0];
    case 'End':
      return buttons.at(-1);
    default:
      return undefined;
  }
}
