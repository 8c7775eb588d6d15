import { CodeChunks } from '@hawser/diffs/code-chunks';
import { languageOf, scopesIn } from '@hawser/diffs/languages';
import type { ScopesAnswer, ScopesRequest } from '@hawser/page-parts/code-scopes';

interface Opened {
  readonly chunks: CodeChunks;
  readonly language: string;
  readonly done: Set<number>;
}

const texts = new Map<number, Opened>();

addEventListener('message', ({ data }: MessageEvent<ScopesRequest>) => {
  if (data.kind === 'close') texts.delete(data.text);
  else if (data.kind === 'open') {
    const language = languageOf(data.path);
    if (language !== undefined) texts.set(data.text, { chunks: new CodeChunks(data.code), language, done: new Set() });
  } else {
    const opened = texts.get(data.text);
    const chunk = opened?.chunks.chunkOf(data.line) ?? 0;
    if (opened === undefined || opened.done.has(chunk)) return;
    opened.done.add(chunk);
    const ranges = opened.chunks.rangesOf(chunk, (code) => scopesIn(code, opened.language));
    const answer: ScopesAnswer = { text: data.text, ranges };
    postMessage(answer);
  }
});
