import { scopesIn } from '@hawser/diffs/languages';
import type { Style } from '../../../terminal/paint.ts';
import type { StyleRange } from './style-ranges.ts';

// This file is loaded after the first frame: what it imports takes longer to load than all the rest of the view.
export { changedIn } from '@hawser/diffs/changed-words';
export { languageOf } from '@hawser/diffs/languages';

const STYLES: { readonly [scope: string]: Style | undefined } = {
  attr: { colour: 'blue' },
  attribute: { colour: 'blue' },
  built_in: { colour: 'cyan' },
  bullet: { colour: 'cyan' },
  char: { colour: 'yellow' },
  code: { colour: 'yellow' },
  comment: { colour: 'grey' },
  doctag: { colour: 'grey', weight: 'bold' },
  keyword: { colour: 'magenta' },
  link: { colour: 'cyan' },
  literal: { colour: 'cyan' },
  meta: { colour: 'grey' },
  name: { colour: 'blue' },
  number: { colour: 'cyan' },
  quote: { colour: 'grey' },
  regexp: { colour: 'yellow' },
  section: { weight: 'bold' },
  selector: { colour: 'blue' },
  string: { colour: 'yellow' },
  strong: { weight: 'bold' },
  symbol: { colour: 'cyan' },
  tag: { colour: 'blue' },
  title: { colour: 'blue' },
  type: { colour: 'cyan' },
};

/** The colours of a piece of code, in order and without overlaps. */
export function highlight(text: string, language: string): readonly StyleRange[] {
  return scopesIn(text, language).flatMap(({ from, to, scope }) => {
    const style = STYLES[scope];
    return style === undefined ? [] : { from, to, style };
  });
}
