import { wrapWords } from '@hawser/terminal-text/wrapping';
import type { ClientStatus, Status } from '../../../control/calls.ts';
import type { ControlClient } from '../../../control/control-client.ts';
import { type AgentFacts, OTHERS } from '../../facts.ts';
import { BOLD, DIM, fitRow } from '../../fit-row.ts';
import type { Key } from '../../keys.ts';
import { ListCursor, MOVE_HELP } from '../../list-cursor.ts';
import type { MouseEvent } from '../../mouse.ts';
import type { Row, Style } from '../../paint.ts';
import type { Size } from '../../terminal.ts';
import type { KeyHelp, Screen, View } from '../../view.ts';
import { type ConnectGuide, HEADINGS, type Item, isSame, itemSpan, itemsOf } from './agent-items.ts';

export interface AgentsViewOptions {
  readonly screen: Screen;
  readonly bridge: Pick<ControlClient, 'disconnect' | 'status'>;
  /** The agents that are known, whether they are here and whether their changes are reviewed. */
  readonly facts: (status: Status) => readonly AgentFacts[];
  /** How each kind of agent is connected to a bridge of this folder. */
  readonly guides: (folder: string) => Promise<readonly ConnectGuide[]>;
}

const REFRESH_MS = 1000;
const GREEN: Style = { colour: 'green' };
const YELLOW: Style = { colour: 'yellow' };

/** Which agents are connected, and how others connect. */
export class AgentsView implements View {
  readonly name = 'agents';
  readonly title = 'Agents';
  readonly help: readonly KeyHelp[] = [
    ...MOVE_HELP,
    { keys: 'Enter c', does: 'copy what connects the chosen agent to the clipboard of the terminal' },
    { keys: 'd', does: 'disconnect the chosen agent, after asking; it may connect again' },
  ];
  readonly #options: AgentsViewOptions;
  readonly #cursor = new ListCursor<Item>();
  #status: Status | undefined;
  #guides: readonly ConnectGuide[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** The user has chosen a row; until then it is the first. */
  #hasChosen = false;

  constructor(options: AgentsViewOptions) {
    this.#options = options;
  }

  get badge(): string {
    return String(this.#connected || '');
  }

  get hints(): string {
    const pause = `p ${this.#status?.paused === true ? 'resume' : 'pause'}`;
    return this.#cursor.chosen?.kind === 'client' ? `d disconnect  ${pause}` : `c copy  ${pause}`;
  }

  setStatus(status: Status): void {
    this.#status = status;
    const chosen = this.#hasChosen ? this.#cursor.chosen : undefined;
    this.#cursor.items = itemsOf(status, this.#options.facts(status), this.#guides);
    // The same agent stays chosen: a key must not disconnect another one.
    const at = chosen === undefined ? 0 : this.#cursor.items.findIndex((item) => isSame(item, chosen));
    if (at !== -1) this.#cursor.choose(at);
    else if (chosen?.kind === 'client') this.#cursor.choose(this.#connected);
  }

  activate(): void {
    // Calls and activity change without an event.
    this.#timer = setInterval(() => void this.#refresh(), REFRESH_MS);
    this.#timer.unref();
    void this.#refresh();
  }

  deactivate(): void {
    clearInterval(this.#timer);
  }

  key(key: Key): 'handled' | 'unknown' {
    const { chosen } = this.#cursor;
    this.#hasChosen = true;
    if (this.#cursor.move(key)) return 'handled';
    if (key === 'd' && chosen?.kind === 'client') this.#askToDisconnect(chosen.client);
    else if (key === 'd') this.#options.screen.say('Choose a connected agent first.');
    else if ((key === 'c' || key === 'enter') && chosen?.kind === 'agent') this.#copy(chosen.guide);
    else return 'unknown';
    return 'handled';
  }

  mouse(event: MouseEvent): void {
    this.#hasChosen = true;
    this.#cursor.mouse(event);
  }

  draw({ columns, rows }: Size): readonly Row[] {
    const least = Math.min(this.#cursor.items.length, Math.max(3, Math.floor(rows / 3)));
    const detail = this.#detailRows(columns).slice(0, Math.max(0, rows - 1 - least));
    const list = this.#cursor.drawList({ columns, rows: rows - 1 - detail.length }, (item) => [itemSpan(item)]);
    return [fitRow([{ text: `  ${HEADINGS}`, style: DIM }], columns), ...list, ...detail];
  }

  /** How many there are; they come first. */
  get #connected(): number {
    return this.#cursor.items.filter(({ kind }) => kind === 'client').length;
  }

  async #refresh(): Promise<void> {
    try {
      const status = await this.#options.bridge.status();
      if (this.#guides.length === 0) this.#guides = await this.#options.guides(status.folders[0] ?? '.');
      this.setStatus(status);
      this.#options.screen.redraw();
    } catch {
      // The bridge has ended, and so will the view.
    }
  }

  #askToDisconnect({ id, name }: ClientStatus): void {
    const { screen, bridge } = this.#options;
    screen.ask(`Disconnect ${name} (${id})? Its open proposals are withdrawn. y disconnects it.`, (key) => {
      if (key !== 'y') return;
      bridge.disconnect(id).then(
        () => {
          screen.say(`${name} is disconnected; it may connect again.`);
          void this.#refresh();
        },
        (error: Error) => screen.say(error.message),
      );
    });
  }

  #copy({ text }: ConnectGuide): void {
    const isCopied = this.#options.screen.copy(text);
    this.#options.screen.say(isCopied ? 'Copied, if the terminal allows it.' : 'Too long to copy.');
  }

  /** Whether the changes of the chosen agent are reviewed, and how it is connected if it is not. */
  #detailRows(columns: number): Row[] {
    const { chosen } = this.#cursor;
    if (chosen === undefined) return [];
    const wrapped = (text: string, style?: Style) =>
      wrapWords(text, columns).map((line): Row => [{ text: line, ...(style && { style }) }]);
    const { kind, sentence, todo } = chosen.facts?.review ?? OTHERS;
    const review = [
      ...wrapped(sentence, kind === 'no' ? YELLOW : {}),
      ...(todo === undefined || kind === 'yes' ? [] : wrapped(todo, GREEN)),
    ];
    if (chosen.kind === 'client') {
      const { client, adapter } = chosen;
      const as = `Connected as ${client.id}, through the ${adapter.name} adapter. hawser status has its address.`;
      return [[], fitRow([{ text: client.name, style: BOLD }], columns), ...review, ...wrapped(as, DIM)];
    }
    const { title, steps, text } = chosen.guide;
    return [
      [],
      fitRow([{ text: `To connect ${title}`, style: BOLD }], columns),
      ...steps.flatMap((step) => wrapped(step)),
      ...text.split('\n').map((line) => fitRow([{ text: `    ${line}`, style: GREEN }], columns)),
      ...(chosen.facts === undefined ? [] : review),
    ];
  }
}
