import type { Span } from './paint.ts';

/** What a list shows of itself: how many from `first` on, of how many. */
export interface Shown {
  readonly first: number;
  readonly shown: number;
  readonly of: number;
}

/** For each row what stands at its end: the bar where the shown part is, and its track. Nothing if all is shown. */
export function scrollbar({ first, shown, of }: Shown, rows: number): readonly Span[] {
  if (shown >= of || rows <= 0) return [];
  const size = Math.max(1, Math.min(rows - 1, Math.round((shown / of) * rows)));
  const top = Math.round((first / (of - shown)) * (rows - size));
  return Array.from({ length: rows }, (_, row) =>
    row >= top && row < top + size ? { text: '┃' } : { text: '│', style: { weight: 'dim' } },
  );
}
