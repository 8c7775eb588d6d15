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
import { type ScopeRange, ScopeRanges } from './scope-ranges.ts';

// What this file imports takes longer to load than all the rest of a view: load it after the first frame.

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

/** What the parts of a piece of code are, in order and without overlaps. */
export function scopesIn(text: string, language: string): readonly ScopeRange[] {
  const { _emitter } = highlighter.highlight(text, { language, ignoreIllegals: true });
  const { ranges } = _emitter as ScopeRanges; // as configured above
  // `title.function` is a title.
  return ranges.map(({ from, to, scope }) => ({ from, to, scope: scope.split(/[.-]/)[0] ?? '' }));
}
