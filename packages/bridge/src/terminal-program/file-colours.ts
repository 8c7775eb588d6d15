import { CodeColours } from '../review/reviewers/terminal/code-colours.ts';
import type { Colouring } from '../review/reviewers/terminal/decoration.ts';
import type { Highlight } from '../terminal/views/files/viewer.ts';

/** Colours files as the review view colours changes. What that needs is loaded with the first file. */
export function fileColours(load: () => Promise<Colouring>, onReady: () => void): Highlight {
  return ({ path, text }) => {
    let colours: CodeColours | undefined;
    load().then(
      ({ languageOf, highlight }) => {
        const language = languageOf(path);
        if (language === undefined) return;
        colours = new CodeColours({ text, highlight: (part) => highlight(part, language), onReady });
        onReady();
      },
      // The file is shown without colours.
      () => undefined,
    );
    return (line) => colours?.rangesOf(line) ?? [];
  };
}
