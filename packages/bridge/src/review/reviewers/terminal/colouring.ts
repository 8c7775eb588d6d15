import { diffWordsWithSpace } from 'diff';
import highlighter from 'highlight.js/lib/common';
import clojure from 'highlight.js/lib/languages/clojure';
import cmake from 'highlight.js/lib/languages/cmake';
import dart from 'highlight.js/lib/languages/dart';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import elixir from 'highlight.js/lib/languages/elixir';
import haskell from 'highlight.js/lib/languages/haskell';
import lisp from 'highlight.js/lib/languages/lisp';
import powershell from 'highlight.js/lib/languages/powershell';
import protobuf from 'highlight.js/lib/languages/protobuf';
import scala from 'highlight.js/lib/languages/scala';
import type { Style } from '../../../terminal/paint.ts';
import { ScopeRanges } from './scope-ranges.ts';
import type { StyleRange } from './style-ranges.ts';

// This file is loaded after the first frame: what it imports takes longer to load than all the rest of the view.

const more = { clojure, cmake, dart, dockerfile, elixir, haskell, lisp, powershell, protobuf, scala };
for (const [name, language] of Object.entries(more)) highlighter.registerLanguage(name, language);
highlighter.configure({ __emitter: ScopeRanges });

const NAMES: ReadonlyMap<string, string> = new Map([
  ['cmakelists.txt', 'cmake'],
  ['containerfile', 'dockerfile'],
  ['dockerfile', 'dockerfile'],
  ['gemfile', 'ruby'],
  ['gnumakefile', 'makefile'],
  ['makefile', 'makefile'],
  ['rakefile', 'ruby'],
]);
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['asd', 'lisp'],
  ['cts', 'typescript'],
  ['el', 'lisp'],
  ['mts', 'typescript'],
]);

/** The language of a file; undefined if none of those that can be coloured. */
export function languageOf(path: string): string | undefined {
  const name = (path.split('/').at(-1) ?? '').toLowerCase();
  const extension = name.includes('.') ? (name.split('.').at(-1) ?? '') : '';
  const language = NAMES.get(name) ?? EXTENSIONS.get(extension) ?? extension;
  return language !== '' && highlighter.getLanguage(language) !== undefined ? language : undefined;
}

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
  const { _emitter } = highlighter.highlight(text, { language, ignoreIllegals: true });
  const { ranges } = _emitter as ScopeRanges; // as configured above
  return ranges.flatMap(({ from, to, scope }) => {
    const style = STYLES[scope.split(/[.-]/)[0] ?? ''];
    return style === undefined ? [] : { from, to, style };
  });
}

/** Offsets of what differs, from and to. */
export type Offsets = readonly (readonly [number, number])[];

const MAX_EDITS = 100;
/** Lines that have less in common than this are different lines, not an edited one. */
const LEAST_SHARE = 0.4;

/** The words that differ between two lines; undefined if they have too little in common, or too much to compare. */
export function changedWords(
  oldLine: string,
  newLine: string,
): { readonly old: Offsets; readonly new: Offsets } | undefined {
  const changes = diffWordsWithSpace(oldLine, newLine, { maxEditLength: MAX_EDITS });
  if (changes === undefined) return undefined;
  const [old, now]: [[number, number][], [number, number][]] = [[], []];
  let [oldAt, newAt, same] = [0, 0, 0];
  for (const { value, added, removed } of changes) {
    if (removed) old.push([oldAt, oldAt + value.length]);
    else if (added) now.push([newAt, newAt + value.length]);
    else same += value.trim().length;
    if (!added) oldAt += value.length;
    if (!removed) newAt += value.length;
  }
  const longest = Math.max(oldLine.trim().length, newLine.trim().length);
  return same >= LEAST_SHARE * longest ? { old, new: now } : undefined;
}
