import { widthOf } from '@hawser/terminal-text/wrapping';
import type { LanguageFacts } from './facts.ts';
import { BOLD, DIM, fitRow, padded } from './fit-row.ts';
import type { Row, Style } from './paint.ts';

const YELLOW: Style = { colour: 'yellow' };

/** Which languages of the workspace are checked, by what, and what would check the others. */
export function coverageRows(languages: readonly LanguageFacts[] | undefined, columns: number): readonly Row[] {
  if (languages === undefined) return [];
  if (languages.length === 0) {
    const none = '  No file is of a language that Hawser knows a checker for, or language servers are off.';
    return [fitRow([{ text: none, style: DIM }], columns)];
  }
  const width = Math.max(...languages.map((each) => widthOf(each.languages)));
  return languages.flatMap(({ languages: names, checkedBy, problem, isUntrusted, install = '' }) => {
    const name = { text: `  ${padded(names, width)}  ` };
    const indent = ' '.repeat(width + 4);
    if (checkedBy === undefined) {
      const missing = { text: 'not checked: no language server was found', style: YELLOW };
      return [
        fitRow([name, missing], columns),
        fitRow([{ text: indent }, { text: install, style: BOLD }, { text: ' adds one', style: DIM }], columns),
      ];
    }
    if (isUntrusted) {
      const words = `not checked: ${checkedBy} is not trusted`;
      const advice = [
        { text: indent },
        { text: 'T', style: BOLD },
        { text: ' trusts this folder and runs it', style: DIM },
      ];
      return [fitRow([name, { text: words, style: YELLOW }], columns), fitRow(advice, columns)];
    }
    const words = problem === undefined ? `checked by ${checkedBy}` : `not checked: ${checkedBy} failed: ${problem}`;
    return [fitRow([name, { text: words, ...(problem !== undefined && { style: YELLOW }) }], columns)];
  });
}
