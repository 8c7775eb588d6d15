import { wrapWords } from '@hawser/terminal-text/wrapping';
import { messageOf } from '@hawser/unknown-values/thrown';
import type { DiagnosticsList, Status } from '../../../control/calls.ts';
import type { ControlClient } from '../../../control/control-client.ts';
import type { Diagnostic, Severity } from '../../../editor.ts';
import { coverageRows } from '../../coverage-rows.ts';
import type { LanguageFacts } from '../../facts.ts';
import { BOLD, DIM, fitRow } from '../../fit-row.ts';
import type { Key } from '../../keys.ts';
import { ListCursor, MOVE_HELP } from '../../list-cursor.ts';
import type { MouseEvent } from '../../mouse.ts';
import type { Colour, Row, Span } from '../../paint.ts';
import type { Size } from '../../terminal.ts';
import type { KeyHelp, Screen, View } from '../../view.ts';

export interface DiagnosticsViewOptions {
  readonly screen: Screen;
  readonly bridge: Pick<ControlClient, 'diagnostics' | 'status'>;
  readonly nameOf: (path: string) => string;
  /** What is checked, and by what; undefined if the editor has its own language servers. */
  readonly languages: (status: Status) => readonly LanguageFacts[] | undefined;
  /** Shows a file at a line, from 0. */
  readonly openFile: (path: string, line: number) => void;
}

interface Problem extends Diagnostic {
  readonly path: string;
}

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info', 'hint'];
const COLOURS: { readonly [severity in Severity]: Colour } = {
  error: 'red',
  warning: 'yellow',
  info: 'cyan',
  hint: 'grey',
};
/** Rows below the list for the whole message of the chosen one. */
const DETAIL_ROWS = 4;

/** The problems that the editor knows of, the worst first. */
export class DiagnosticsView implements View {
  readonly name = 'diagnostics';
  readonly title = 'Diagnostics';
  readonly help: readonly KeyHelp[] = [
    ...MOVE_HELP,
    { keys: 'Enter', does: 'show the file at this line, in Files' },
    { keys: 'c', does: 'copy the place and the message to the clipboard of the terminal' },
    { keys: 'R', does: 'ask the editor again' },
  ];
  readonly hints = 'Enter show the file  c copy  R ask again';
  readonly #options: DiagnosticsViewOptions;
  readonly #cursor = new ListCursor<Problem>();
  #languages: readonly LanguageFacts[] | undefined;
  #editor = 'the editor';
  #total = 0;
  #revision: number | undefined;
  #loaded: number | undefined;
  #isShown = false;
  #isLoading = false;

  constructor(options: DiagnosticsViewOptions) {
    this.#options = options;
  }

  get badge(): string {
    return this.#total === 0 ? '' : String(this.#total);
  }

  setStatus(status: Status): void {
    this.#revision = status.diagnosticsRevision;
    this.#editor = status.editor;
    this.#languages = this.#options.languages(status);
    if (this.#isShown) this.#loadIfChanged();
  }

  activate(): void {
    this.#isShown = true;
    this.#loadIfChanged();
  }

  deactivate(): void {
    this.#isShown = false;
  }

  key(key: Key): 'handled' | 'unknown' {
    const { screen } = this.#options;
    const { chosen } = this.#cursor;
    if (this.#cursor.move(key)) return 'handled';
    if (key === 'R') void this.#askAgain();
    else if (key === 'enter' && chosen !== undefined) this.#open(chosen);
    else if (key === 'c' && chosen !== undefined) {
      screen.say(screen.copy(`${this.#placeOf(chosen)}: ${chosen.message}`) ? 'Copied.' : 'Too long to copy.');
    } else return 'unknown';
    return 'handled';
  }

  mouse(event: MouseEvent): void {
    if (this.#cursor.mouse(event)) this.key('enter');
  }

  draw({ columns, rows }: Size): readonly Row[] {
    const title = fitRow([{ text: this.#summary(), style: DIM }], columns);
    const checked = coverageRows(this.#languages, columns);
    const { items, chosen } = this.#cursor;
    if (items.length === 0) return [title, [], ...checked].slice(0, rows);
    const about = [...(chosen === undefined ? [] : this.#detailRows(chosen, columns)), [], ...checked];
    const detail = rows < 12 ? [] : about.slice(0, Math.floor(rows / 2));
    const list = this.#cursor.drawList({ columns, rows: rows - 1 - detail.length }, (problem) => this.#spans(problem));
    const padding = Array.from({ length: Math.max(0, rows - 1 - detail.length - list.length) }, (): Row => []);
    return [title, ...list, ...padding, ...detail];
  }

  #open({ path, range }: Problem): void {
    this.#options.openFile(path, range.start.line);
  }

  #loadIfChanged(): void {
    if (this.#revision !== undefined && this.#revision !== this.#loaded) void this.#load();
  }

  /** A language server may have been installed meanwhile. */
  async #askAgain(): Promise<void> {
    try {
      this.setStatus(await this.#options.bridge.status());
    } catch {
      // The bridge has ended, and so will the view.
    }
    await this.#load();
  }

  /** Asks once more if something changed meanwhile. */
  async #load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    const revision = this.#revision;
    try {
      this.#show(await this.#options.bridge.diagnostics());
    } catch (error) {
      this.#options.screen.say(messageOf(error));
    }
    this.#loaded = revision;
    this.#isLoading = false;
    this.#options.screen.redraw();
    if (this.#isShown) this.#loadIfChanged();
  }

  #show({ files, total }: DiagnosticsList): void {
    const problems = files.flatMap(({ path, diagnostics }) => diagnostics.map((each) => ({ ...each, path })));
    // The editor's order stays within a severity.
    this.#cursor.items = SEVERITIES.flatMap((severity) => problems.filter((problem) => problem.severity === severity));
    this.#total = total;
  }

  #summary(): string {
    if (this.#revision === undefined) {
      return 'The editor has no diagnostics; hawser serve --diagnostics COMMAND adds some.';
    }
    if (this.#total === 0) return this.#loaded === undefined ? 'Asking the editor…' : this.#noProblems();
    const counts = SEVERITIES.flatMap((severity) => {
      const count = this.#cursor.items.filter((problem) => problem.severity === severity).length;
      return count === 0 ? [] : [`${count} ${severity}${count === 1 || severity === 'info' ? '' : 's'}`];
    });
    const more = this.#total - this.#cursor.items.length;
    return [...counts, ...(more > 0 ? [`${more} more not listed`] : [])].join(', ');
  }

  /** Reports "no problems" only where a checker or language server runs. */
  #noProblems(): string {
    if (this.#languages === undefined) return `${this.#editor} reports no problems.`;
    const isChecked = this.#languages.some(
      ({ checkedBy, problem }) => checkedBy !== undefined && problem === undefined,
    );
    return isChecked
      ? 'No problems found. Files are looked at once they are open, or an agent asks.'
      : 'Nothing is checked here.';
  }

  #spans(problem: Problem): readonly Span[] {
    const { severity, message } = problem;
    return [
      { text: severity.padEnd(8), style: { ...BOLD, colour: COLOURS[severity] } },
      { text: `${this.#placeOf(problem)} `, style: { colour: 'cyan' } },
      { text: message.split('\n')[0] ?? '' },
    ];
  }

  #detailRows({ message, source, code }: Problem, columns: number): Row[] {
    const from = [source, code].filter((each) => each !== undefined).join(' ');
    const text = `${message.replace(/\s+/g, ' ')}${from === '' ? '' : `  (${from})`}`;
    const lines = wrapWords(text.slice(0, DETAIL_ROWS * columns), columns).slice(0, DETAIL_ROWS - 1);
    return [[], ...lines.map((line) => [{ text: line }])];
  }

  #placeOf({ path, range }: Problem): string {
    return `${this.#options.nameOf(path)}:${range.start.line + 1}:${range.start.character + 1}`;
  }
}
