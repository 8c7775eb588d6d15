import { DiffLines } from '@hawser/diffs/diff-lines';
import { hunksOf } from '@hawser/diffs/hunks';
import { Items } from '@hawser/diffs/items';
import { useMemo } from 'preact/hooks';
import { WordRanges } from '../diff-ranges.ts';
import { DiffView } from './diff-view.tsx';

export interface TextDiffProps {
  /** What it is of: a path or another name. */
  readonly name: string;
  readonly oldText: string;
  readonly newText: string;
  /** Shown if the texts are the same. */
  readonly about: string;
}

/** A diff of two texts, read-only. */
export function TextDiff({ name, oldText, newText, about }: TextDiffProps) {
  const [items, words] = useMemo(() => {
    const [lines, hunks] = [new DiffLines(name, oldText, newText), hunksOf(oldText, newText)];
    return [new Items({ lines, hunks, contextLines: 3, layout: 'unified', about, notes: [] }), new WordRanges()];
  }, [name, oldText, newText]);
  return <DiffView items={items} layout="unified" label={`Diff of ${name}`} rangesOf={(line) => words.of(line)} />;
}
