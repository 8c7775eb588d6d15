import { type DiffLine, isTextLine, type TextLine } from '@hawser/diffs/diff-lines';
import type { Items, Layout } from '@hawser/diffs/items';
import type { ComponentChildren } from 'preact';
import { visible } from '../visible-text.ts';
import { RowList, type WantedRow } from './row-list.tsx';

/** What a part of a line is, in UTF-16 code units: `keyword`, `string`, `changed`. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
  readonly scope: string;
}

export interface DiffViewProps {
  readonly items: Items;
  readonly layout: Layout;
  /** What the diff is of, for screen readers. */
  readonly label: string;
  /** The parts of a line, in order and without overlaps. */
  readonly rangesOf: (line: TextLine) => readonly LineRange[];
  /** The row at which keys work. */
  readonly cursor?: number | undefined;
  readonly wanted?: WantedRow | undefined;
  readonly onView?: ((first: number, last: number) => void) | undefined;
  /** A click on a row, and on which of its sides if it has two. */
  readonly onRow?: ((row: number, side: 'old' | 'new') => void) | undefined;
  /** Shows more of the unchanged lines. */
  readonly onUnfold?: (() => void) | undefined;
  /** Above the first row of a hunk. */
  readonly hunkHead?: ((hunk: number) => ComponentChildren) | undefined;
  /** Says how a hunk is decided, for its colours. */
  readonly hunkClass?: ((hunk: number) => string) | undefined;
  /** Beside a note. */
  readonly noteTools?: ((note: object) => ComponentChildren) | undefined;
}

const ROW_PX = 21;
/** Of a longer line only this much is shown: browsers need seconds for lines of megabytes. */
const MAX_CHARACTERS = 5000;

/** The lines that differ, with as many of the others as the items have. */
export function DiffView(props: DiffViewProps) {
  const { items, layout, label, wanted, onView } = props;
  return (
    <section class={`diff diff-${layout}`} aria-label={label}>
      <RowList
        count={items.length}
        rowHeight={ROW_PX}
        wanted={wanted}
        onView={onView}
        row={(index) => <DiffRow key={index} index={index} {...props} />}
      />
    </section>
  );
}

function DiffRow({ index, ...props }: DiffViewProps & { readonly index: number }) {
  const { items, cursor, onRow, hunkHead, hunkClass } = props;
  const item = items.at(index);
  if (item === undefined) return null;
  const { hunk, cells } = item;
  const isFirst = hunk !== undefined && items.rangeOf(hunk)?.first === index;
  const state = hunk === undefined ? '' : ` in-hunk ${hunkClass?.(hunk) ?? ''}`;
  const [first] = cells;
  return (
    <>
      {isFirst && hunkHead !== undefined ? <div class={`hunk-head${state}`}>{hunkHead(hunk)}</div> : null}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys move the cursor, too */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above */}
      <div
        data-row={index}
        class={`diff-row${index === cursor ? ' at-cursor' : ''}${state}`}
        onClick={onRow && (({ target }) => onRow(index, isOnNewSide(target) ? 'new' : 'old'))}
      >
        {cells.length === 1 && first !== undefined && !isTextLine(first) ? (
          <PlainRow line={first} {...props} />
        ) : (
          cells.map((line, side) => (
            <Cell key={side} line={isTextLine(line) ? line : undefined} side={side === 0 ? 'old' : 'new'} {...props} />
          ))
        )}
      </div>
    </>
  );
}

function isOnNewSide(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('.cell')?.matches('.cell + .cell') === true;
}

const SIGNS = { context: ' ', removed: '−', added: '+' } as const;
const SPOKEN = { context: '', removed: 'removed: ', added: 'added: ' } as const;

function Cell({ line, side, layout, rangesOf }: DiffViewProps & { line: TextLine | undefined; side: 'old' | 'new' }) {
  if (line === undefined) return <div class="cell cell-absent" />;
  const { kind, oldLine, newLine } = line;
  const numbers = layout === 'split' ? [side === 'old' ? oldLine : newLine] : [oldLine, newLine];
  return (
    <div class={`cell cell-${kind}`}>
      {numbers.map((number, index) => (
        <span key={index} class="line-number" data-number={number === undefined ? '' : number + 1} />
      ))}
      <span class="sign" aria-hidden="true">
        {SIGNS[kind]}
      </span>
      <code class="line-text">
        {SPOKEN[kind] === '' ? null : <span class="sr-only">{SPOKEN[kind]}</span>}
        <LineText line={line} rangesOf={rangesOf} />
      </code>
    </div>
  );
}

function LineText({ line, rangesOf }: Pick<DiffViewProps, 'rangesOf'> & { readonly line: TextLine }) {
  const text = line.text.slice(0, MAX_CHARACTERS);
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const { from, to, scope } of rangesOf(line)) {
    if (from >= text.length) break;
    if (from > at) parts.push(visible(text.slice(at, from)));
    parts.push(<span class={scope}>{visible(text.slice(from, to))}</span>);
    at = to;
  }
  if (at < text.length) parts.push(visible(text.slice(at)));
  if (text.length < line.text.length) {
    parts.push(<span class="cut"> … {line.text.length - text.length} more characters</span>);
  }
  return <>{parts}</>;
}

function PlainRow({ line, onUnfold, noteTools }: DiffViewProps & { readonly line: DiffLine }) {
  if (line.kind === 'fold') {
    // After the count comes the function or section that the lines belong to.
    const [count, around] = [
      line.text.slice(0, line.text.indexOf(',')),
      line.text.slice('length' in line ? line.length : 0),
    ];
    return (
      <button type="button" class="fold" onClick={onUnfold}>
        {count} <span class="around">{visible(around.trim())}</span>
      </button>
    );
  }
  if (line.kind !== 'note') return <p class="about-diff">{visible(line.text)}</p>;
  const { note } = line as { readonly note?: object };
  return (
    <div class="note">
      <p class="note-text">{visible(line.text)}</p>
      {note === undefined ? null : noteTools?.(note)}
    </div>
  );
}
