// The part of highlight.js that is used. Its own types bring those of browsers into the whole program.

/** One of its languages. */
export type Language = () => object;

export interface Highlighter {
  registerLanguage(name: string, language: Language): void;
  getLanguage(name: string): object | undefined;
  /** `__emitter` is a class that receives what is found; without it the result is HTML. */
  configure(options: { readonly __emitter: new () => object }): void;
  highlight(
    text: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly _emitter: unknown };
}

declare const highlighter: Highlighter;
export default highlighter;
