import type { AgentStatus, ClientStatus, Status } from '../../../control/calls.ts';
import type { ControlClient } from '../../../control/control-client.ts';
import { BOLD, chosenRow, DIM, fitRow, padded } from '../../fit-row.ts';
import type { Key } from '../../keys.ts';
import { ListCursor, MOVE_HELP } from '../../list-cursor.ts';
import type { MouseEvent } from '../../mouse.ts';
import type { Row, Span } from '../../paint.ts';
import type { Size } from '../../terminal.ts';
import type { KeyHelp, Screen, View } from '../../view.ts';
import { wrapWords } from '../../wrapping.ts';

export interface AgentsViewOptions {
  readonly screen: Screen;
  readonly bridge: Pick<ControlClient, 'disconnect' | 'status'>;
  /** How each kind of agent is connected to a bridge of this folder. */
  readonly guides: (folder: string) => Promise<readonly ConnectGuide[]>;
}

/** What the user does to connect one kind of agent. */
export interface ConnectGuide {
  /** The agent, for display. */
  readonly title: string;
  /** A sentence each. */
  readonly steps: readonly string[];
  /** To copy: a command, or lines of a configuration. */
  readonly text: string;
}

type Item =
  | { readonly kind: 'client'; readonly adapter: AgentStatus; readonly client: ClientStatus }
  | { readonly kind: 'guide'; readonly guide: ConnectGuide }
  | { readonly kind: 'adapter'; readonly adapter: AgentStatus };

const REFRESH_MS = 1000;

/** Which agents are connected, and how others connect. */
export class AgentsView implements View {
  readonly name = 'agents';
  readonly title = 'Agents';
  readonly help: readonly KeyHelp[] = [
    ...MOVE_HELP,
    {
      keys: 'Enter c',
      does: 'copy what connects this kind of agent, or its address, to the clipboard of the terminal',
    },
    { keys: 'd', does: 'disconnect the chosen agent, after asking; it may connect again' },
  ];
  readonly #options: AgentsViewOptions;
  readonly #cursor = new ListCursor();
  #status: Status | undefined;
  #items: readonly Item[] = [];
  #guides: readonly ConnectGuide[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** The user has chosen a row; until then it is the first. */
  #hasChosen = false;

  constructor(options: AgentsViewOptions) {
    this.#options = options;
  }

  get badge(): string {
    const { length } = this.#items.filter(({ kind }) => kind === 'client');
    return length === 0 ? '' : String(length);
  }

  get hints(): string {
    const pause = `p ${this.#status?.paused === true ? 'resume' : 'pause'}`;
    return this.#chosen?.kind === 'client' ? `d disconnect  ${pause}` : `c copy  ${pause}`;
  }

  setStatus(status: Status): void {
    this.#status = status;
    const chosen = this.#hasChosen ? this.#chosen : undefined;
    this.#items = [
      ...status.agents.flatMap((adapter) =>
        adapter.clients.map((client): Item => ({ kind: 'client', adapter, client })),
      ),
      ...this.#guides.map((guide): Item => ({ kind: 'guide', guide })),
      ...status.agents.map((adapter): Item => ({ kind: 'adapter', adapter })),
    ];
    // The same agent stays chosen: a key must not disconnect another one.
    const at = chosen === undefined ? 0 : this.#items.findIndex((item) => isSame(item, chosen));
    if (at !== -1) this.#cursor.choose(at, this.#items.length);
    else if (chosen?.kind === 'client') this.#cursor.choose(this.#firstGuide(), this.#items.length);
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
    const chosen = this.#chosen;
    this.#hasChosen = true;
    if (this.#cursor.move(key, this.#items.length)) return 'handled';
    if (key === 'd' && chosen?.kind === 'client') this.#askToDisconnect(chosen.client);
    else if (key === 'd') this.#options.screen.say('Choose a connected agent first.');
    else if ((key === 'c' || key === 'enter') && chosen !== undefined) this.#copy(chosen);
    else return 'unknown';
    return 'handled';
  }

  mouse(event: MouseEvent): void {
    this.#hasChosen = true;
    if (event.kind === 'wheel') this.#cursor.move(event.step === 1 ? 'down' : 'up', this.#items.length);
    else this.#cursor.click(event.row - 1, this.#items.length);
  }

  draw({ columns, rows }: Size): readonly Row[] {
    const least = Math.min(this.#items.length, Math.max(3, Math.floor(rows / 3)));
    const detail = this.#detailRows(columns).slice(0, Math.max(0, rows - 1 - least));
    const { first, end } = this.#cursor.window(this.#items.length, Math.max(1, rows - 1 - detail.length));
    const list = this.#items
      .slice(first, end)
      .map((item, index) => itemRow(item, first + index === this.#cursor.at, columns));
    const names = tableRow('AGENT', 'CONNECTS AS', 'STATE', 'CALLS', 'LAST ACTIVE');
    return [fitRow([{ text: `  ${names}`, style: DIM }], columns), ...list, ...detail];
  }

  get #chosen(): Item | undefined {
    return this.#items[this.#cursor.at];
  }

  #firstGuide(): number {
    return this.#items.filter(({ kind }) => kind === 'client').length;
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

  #copy(item: Item): void {
    const text = item.kind === 'guide' ? item.guide.text : item.adapter.endpoints.join(' ');
    const isCopied = this.#options.screen.copy(text);
    this.#options.screen.say(isCopied ? 'Copied, if the terminal allows it.' : 'Too long to copy.');
  }

  /** How to connect an agent of the chosen kind, or where the chosen one is connected. */
  #detailRows(columns: number): Row[] {
    const chosen = this.#chosen;
    if (chosen === undefined) return [[], [{ text: 'No adapter is open.', style: DIM }]];
    if (chosen.kind === 'guide') return guideRows(chosen.guide, columns);
    const { name, endpoints, discoveryFiles } = chosen.adapter;
    const facts = [
      ...endpoints.map((endpoint) => `listens at ${endpoint}`),
      ...discoveryFiles.map((file) => `found by   ${file}`),
    ];
    return [
      [],
      fitRow([{ text: `The ${name} adapter`, style: BOLD }], columns),
      ...facts.map((text) => fitRow([{ text, style: DIM }], columns)),
    ];
  }
}

function guideRows({ title, steps, text }: ConnectGuide, columns: number): Row[] {
  return [
    [],
    fitRow([{ text: `To connect ${title}`, style: BOLD }], columns),
    ...steps.flatMap((step) => wrapWords(step, columns)).map((line): Row => [{ text: line }]),
    ...text.split('\n').map((line) => fitRow([{ text: `    ${line}`, style: { colour: 'green' } }], columns)),
  ];
}

function itemRow(item: Item, isChosen: boolean, columns: number): Row {
  const spans: Span[] = [
    { text: `${isChosen ? '> ' : '  '}${itemText(item)}`, ...(item.kind !== 'client' && { style: DIM }) },
  ];
  return isChosen ? chosenRow(spans, columns) : fitRow(spans, columns);
}

function itemText(item: Item): string {
  if (item.kind === 'guide') return `${item.guide.title}: how to connect`;
  if (item.kind === 'adapter') return tableRow('', item.adapter.name, 'listening', '', '');
  const { name, version, state, calls, lastActivity } = item.client;
  const full = version === undefined ? name : `${name} ${version}`;
  return tableRow(full, item.adapter.name, state, String(calls), agoOf(lastActivity, Date.now()));
}

function isSame(one: Item, other: Item): boolean {
  if (one.kind === 'client' && other.kind === 'client') return one.client.id === other.client.id;
  if (one.kind === 'guide' && other.kind === 'guide') return one.guide.title === other.guide.title;
  return one.kind === 'adapter' && other.kind === 'adapter' && one.adapter.name === other.adapter.name;
}

function tableRow(agent: string, adapter: string, state: string, calls: string, last: string): string {
  return [padded(agent, 28), padded(adapter, 14), padded(state, 13), calls.padStart(6), last.padStart(12)].join(' ');
}

/** `12 s ago` */
export function agoOf(time: string | undefined, now: number): string {
  if (time === undefined) return 'never';
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  return `${Math.floor(seconds / 3600)} h ago`;
}
