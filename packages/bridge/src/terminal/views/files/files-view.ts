import { messageOf } from '@hawser/unknown-values/thrown';
import type { Visibility } from '../../../access/access.ts';
import type { Status } from '../../../control/calls.ts';
import type { ControlClient } from '../../../control/control-client.ts';
import { BOLD, DIM, fitRow } from '../../fit-row.ts';
import type { Key } from '../../keys.ts';
import { ListCursor } from '../../list-cursor.ts';
import type { MouseEvent } from '../../mouse.ts';
import type { Row, Span } from '../../paint.ts';
import type { Size } from '../../terminal.ts';
import { TextField } from '../../text-field.ts';
import type { Screen, View } from '../../view.ts';
import { FILES_HELP } from './files-help.ts';
import { Finder, type FoundFile } from './finder.ts';
import { SelectionSender } from './selection-sender.ts';
import { type Highlight, Viewer } from './viewer.ts';

export interface FilesViewOptions {
  readonly screen: Screen;
  readonly bridge: ControlClient;
  readonly nameOf: (path: string) => string;
  readonly highlight: Highlight;
  /** Watches the file on the screen; its changes go to `fileChanged`. */
  readonly watch: { add(path: string): Promise<void>; remove(path: string): void };
}

/** No screen has more rows; the bridge answers for this many at once. */
const MAX_ASKED = 500;

/** Finds files of the workspace and shows one; what the user selects in it is what agents see as the selection. */
export class FilesView implements View {
  readonly name = 'files';
  readonly title = 'Files';
  readonly help = FILES_HELP;
  readonly #options: FilesViewOptions;
  readonly #finder = new Finder();
  readonly #cursor = new ListCursor<FoundFile>();
  readonly #sender: SelectionSender;
  readonly #visibilities = new Map<string, Visibility>();
  #field = new TextField('/ ');
  #isTyping = false;
  #viewer: Viewer | undefined;
  #state: 'never listed' | 'listing' | 'listed' = 'never listed';
  /** Enter was pressed before the files were known. */
  #opensWhenListed = false;
  #selectsInViews = true;
  #isPaused = false;
  #folders: string | undefined;

  constructor(options: FilesViewOptions) {
    this.#options = options;
    this.#sender = new SelectionSender(options.bridge, (error) => options.screen.say(error.message));
  }

  setStatus({ selectsInViews, paused, folders }: Status): void {
    // What agents see of each file may have changed.
    if (paused !== this.#isPaused) this.#visibilities.clear();
    this.#isPaused = paused;
    this.#selectsInViews = selectsInViews;
    const joined = folders.join('\n');
    const isOther = this.#folders !== undefined && this.#folders !== joined;
    this.#folders = joined;
    if (isOther && this.#state !== 'never listed') void this.#list();
  }

  get takesAllKeys(): boolean {
    return this.#isTyping;
  }

  get hints(): string {
    if (this.#viewer !== undefined) return 'v select  @ mention  c copy  : line  Esc back';
    return this.#isTyping ? 'Enter opens  ↓ ↑ choose  Esc ends typing' : '/ find  Enter open  @ mention  R list again';
  }

  activate(): void {
    void this.#list();
  }

  /** Shows a file, for example one with a problem. Lines from 0. */
  async open(path: string, line = 0): Promise<void> {
    const { screen, watch } = this.#options;
    try {
      // Before it is read, so that no change is missed.
      await watch.add(path);
      const viewer = await this.#read(path, line);
      if (this.#viewer !== undefined && this.#viewer.file.path !== path) this.#close(this.#viewer);
      this.#viewer = viewer;
      this.#isTyping = false;
      this.#share(viewer);
      // A change while it was read was reported for a file that was not shown yet.
      await this.fileChanged(path);
    } catch (error) {
      if (this.#viewer?.file.path !== path) watch.remove(path);
      screen.say(messageOf(error));
    }
    screen.redraw();
  }

  /** Shows the file as it is now: what is selected on the screen must be what agents get. */
  async fileChanged(path: string): Promise<void> {
    const { screen, nameOf } = this.#options;
    const shown = this.#viewer;
    if (shown?.file.path !== path) return;
    try {
      const viewer = await this.#read(path, shown.line);
      if (this.#viewer !== shown || viewer.file.text === shown.file.text) return;
      this.#viewer = viewer;
      this.#share(viewer);
      if (shown.selection !== undefined) screen.say(`${nameOf(path)} has changed; the selection is dropped.`);
    } catch (error) {
      // Its last text stays: some editors remove a file before they write it anew.
      screen.say(messageOf(error));
    }
    screen.redraw();
  }

  key(key: Key): 'handled' | 'unknown' {
    if (this.#viewer !== undefined) return this.#keyInViewer(this.#viewer, key);
    if (this.#isTyping) return this.#type(key);
    const { chosen } = this.#cursor;
    if (this.#cursor.move(key)) return 'handled';
    if (key === '/' || key === 'f') this.#isTyping = true;
    else if (key === 'enter' && chosen !== undefined) void this.open(chosen.path);
    else if (key === '@' && chosen !== undefined) void this.#mention(chosen.path);
    else if (key === 'escape') this.#search('');
    else if (key === 'R') {
      this.#visibilities.clear();
      void this.#list();
    } else return 'unknown';
    return 'handled';
  }

  paste(text: string): void {
    if (!this.#isTyping) return;
    this.#field.paste(text);
    this.#search(this.#field.text);
  }

  mouse(event: MouseEvent): void {
    if (this.#viewer !== undefined) {
      if (event.kind === 'click') this.#viewer.mouse(event);
      else for (let line = 0; line < 3; line += 1) this.#viewer.key(event.step === 1 ? 'down' : 'up');
      this.#share(this.#viewer);
    } else if (this.#cursor.mouse(event) && this.#cursor.chosen !== undefined) void this.open(this.#cursor.chosen.path);
  }

  draw(size: Size): readonly Row[] {
    const body = { columns: size.columns, rows: Math.max(1, size.rows - 1) };
    if (this.#viewer !== undefined) return [this.#viewerTitle(this.#viewer, size.columns), ...this.#viewer.draw(body)];
    const shown: FoundFile[] = [];
    const rows = this.#cursor.drawList(body, (file) => {
      shown.push(file);
      return this.#fileSpans(file);
    });
    void this.#look(shown);
    return [this.#finderTitle(size.columns), ...rows];
  }

  #keyInViewer(viewer: Viewer, key: Key): 'handled' | 'unknown' {
    const { screen } = this.#options;
    const { path, name } = viewer.file;
    if (viewer.key(key)) this.#share(viewer);
    else if (key === '@') void this.#mention(path, viewer.selection);
    else if (key === 'c') screen.say(screen.copy(viewer.selectedText) ? `Copied from ${name}.` : 'Too long to copy.');
    else if (key === ':') {
      screen.prompt({ label: 'line ', enter: (text) => this.#toLine(viewer, text) });
    } else if (key === 'escape') {
      if (viewer.dropSelection()) this.#share(viewer);
      else this.#close(viewer);
    } else return 'unknown';
    return 'handled';
  }

  async #read(path: string, line: number): Promise<Viewer> {
    const { bridge, nameOf, highlight } = this.#options;
    const { text, visibility } = await bridge.readFile(path);
    const viewer = new Viewer({ path, name: nameOf(path), text, visibility }, highlight);
    viewer.toLine(line);
    return viewer;
  }

  #close(viewer: Viewer): void {
    this.#viewer = undefined;
    this.#options.watch.remove(viewer.file.path);
  }

  #toLine(viewer: Viewer, text: string): void {
    if (/^[1-9]\d{0,8}$/.test(text)) {
      viewer.toLine(Number(text) - 1);
      this.#share(viewer);
    } else this.#options.screen.say(`Not a line number: ${text}`);
  }

  #type(key: Key): 'handled' {
    const { chosen } = this.#cursor;
    if (key === 'enter') {
      this.#isTyping = false;
      if (chosen !== undefined) void this.open(chosen.path);
      else this.#opensWhenListed = this.#state === 'listing';
    } else if (key === 'escape') this.#isTyping = false;
    else if (['up', 'down', 'page up', 'page down'].includes(key)) this.#cursor.move(key);
    else if (this.#field.key(key) === 'handled') this.#search(this.#field.text);
    return 'handled';
  }

  #search(query: string): void {
    if (query !== this.#field.text) this.#field = new TextField('/ ', query);
    this.#cursor.items = this.#finder.find(query);
    this.#cursor.choose(0);
  }

  async #list(): Promise<void> {
    if (this.#state === 'listing') return;
    const { screen, bridge } = this.#options;
    this.#state = 'listing';
    try {
      await this.#finder.setFiles(await bridge.files());
      const chosen = this.#cursor.chosen?.path;
      this.#search(this.#field.text);
      const again = this.#cursor.items.findIndex(({ path }) => path === chosen);
      if (again !== -1) this.#cursor.choose(again);
      const [best] = this.#cursor.items;
      if (this.#opensWhenListed && best !== undefined) void this.open(best.path);
    } catch (error) {
      screen.say(messageOf(error));
    }
    this.#opensWhenListed = false;
    this.#state = 'listed';
    screen.redraw();
  }

  /** Asks what agents see of the files on the screen. */
  async #look(files: readonly FoundFile[]): Promise<void> {
    const { screen, bridge } = this.#options;
    const paths = files.map(({ path }) => path).filter((path) => !this.#visibilities.has(path));
    const asked = paths.slice(0, MAX_ASKED);
    if (asked.length === 0) return;
    // Not asked again while the answer is on its way.
    for (const path of asked) this.#visibilities.set(path, 'visible');
    try {
      const answers = await bridge.visibility(asked);
      for (const [index, path] of asked.entries()) this.#visibilities.set(path, answers[index] ?? 'visible');
      if (answers.some((answer) => answer !== 'visible')) screen.redraw();
    } catch {
      // The connection has ended, and so will the view.
    }
  }

  #share(viewer: Viewer): void {
    if (this.#selectsInViews) this.#sender.send({ path: viewer.file.path, range: viewer.range });
  }

  async #mention(path: string, lines?: { readonly first: number; readonly last: number }): Promise<void> {
    const { screen, bridge, nameOf } = this.#options;
    const place = lines === undefined ? nameOf(path) : `${nameOf(path)}:${lines.first + 1}-${lines.last + 1}`;
    try {
      const { agents } = await bridge.mention({ path, first: lines?.first, last: lines?.last });
      const count = agents === 1 ? '1 agent' : `${agents} agents`;
      screen.say(agents === 0 ? 'No agent is connected; 3 shows how to connect one.' : `${place} sent to ${count}.`);
    } catch (error) {
      screen.say(messageOf(error));
    }
  }

  #finderTitle(columns: number): Row {
    if (this.#isTyping) return this.#field.row(columns);
    const { count, isCut } = this.#finder;
    const query = this.#field.text;
    const of = `${count}${isCut ? '+' : ''} files`;
    if (this.#state !== 'listed' && count === 0)
      return fitRow([{ text: 'Listing the files of the workspace…', style: DIM }], columns);
    const text = query === '' ? `${of}: / finds one` : `/ ${query}   ${this.#cursor.items.length} of ${of}`;
    return fitRow([{ text, style: DIM }], columns);
  }

  #fileSpans({ path, name, matched }: FoundFile): readonly Span[] {
    const visibility = this.#visibilities.get(path) ?? 'visible';
    const isMatched = new Set(matched);
    const spans: Span[] = [];
    for (const [index, character] of name.split('').entries()) {
      const style = isMatched.has(index) ? { ...BOLD, colour: 'cyan' as const } : undefined;
      const before = spans.at(-1);
      if (before !== undefined && sameStyle(before.style, style)) {
        spans[spans.length - 1] = { ...before, text: before.text + character };
      } else spans.push(style === undefined ? { text: character } : { text: character, style });
    }
    return visibility === 'visible' ? spans : [...spans, { text: `  ${hiddenWords(visibility)}`, style: DIM }];
  }

  #viewerTitle({ file, selection }: Viewer, columns: number): Row {
    const isShared = file.visibility === 'visible' && this.#selectsInViews;
    const lines = selection === undefined ? '' : `, lines ${selection.first + 1} to ${selection.last + 1} selected`;
    const about = isShared
      ? selection === undefined
        ? '  agents see that it is open'
        : '  agents see the selection'
      : file.visibility === 'visible'
        ? '  the editor’s own selection is shared; @ sends this as a mention'
        : `  ${hiddenWords(file.visibility)}`;
    return fitRow(
      [
        { text: `${file.name}${lines}`, style: BOLD },
        { text: about, style: DIM },
      ],
      columns,
    );
  }
}

function hiddenWords(visibility: Visibility): string {
  if (visibility === 'paused') return 'paused: agents see nothing';
  return visibility === 'denied' ? 'denied: agents don’t see its text' : 'outside: agents don’t see it';
}

function sameStyle(one: Span['style'], other: Span['style']): boolean {
  return (one === undefined) === (other === undefined);
}
