import type { AgentStatus, ClientStatus, Status } from '../../../control/calls.ts';
import type { ControlClient } from '../../../control/connect.ts';
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
  /** How an agent connects to this adapter. */
  readonly connecting: (adapter: AgentStatus, folder: string) => Connecting;
}

/** What the user does to connect one kind of agent. */
export interface Connecting {
  /** In one sentence. */
  readonly words: string;
  /** To copy: a command, or lines of a configuration. */
  readonly text: string;
}

type Item =
  | { readonly kind: 'client'; readonly adapter: AgentStatus; readonly client: ClientStatus }
  | { readonly kind: 'adapter'; readonly adapter: AgentStatus };

const REFRESH_MS = 1000;

/** Which agents are connected, and how others connect. */
export class AgentsView implements View {
  readonly name = 'agents';
  readonly title = 'Agents';
  readonly help: readonly KeyHelp[] = [
    ...MOVE_HELP,
    { keys: 'Enter c', does: 'copy what connects this kind of agent, to the clipboard of the terminal' },
    { keys: 'd', does: 'disconnect the chosen agent, after asking; it may connect again' },
  ];
  readonly #options: AgentsViewOptions;
  readonly #cursor = new ListCursor();
  #status: Status | undefined;
  #items: readonly Item[] = [];
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
    const disconnect = this.#chosen?.kind === 'client' ? '  d disconnect' : '';
    return `c copy how to connect${disconnect}  p ${this.#status?.paused === true ? 'resume' : 'pause'}`;
  }

  setStatus(status: Status): void {
    this.#status = status;
    const chosen = this.#hasChosen ? this.#chosen : undefined;
    this.#items = [
      ...status.agents.flatMap((adapter) =>
        adapter.clients.map((client): Item => ({ kind: 'client', adapter, client })),
      ),
      ...status.agents.map((adapter): Item => ({ kind: 'adapter', adapter })),
    ];
    // The same agent stays chosen: a key must not disconnect another one.
    const at = chosen === undefined ? 0 : this.#items.findIndex((item) => isSame(item, chosen));
    if (at !== -1) this.#cursor.choose(at, this.#items.length);
    else if (chosen?.kind === 'client') this.#cursor.choose(this.#firstAdapter(), this.#items.length);
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
    else if ((key === 'c' || key === 'enter') && chosen !== undefined) this.#copy(chosen.adapter);
    else return 'unknown';
    return 'handled';
  }

  mouse(event: MouseEvent): void {
    this.#hasChosen = true;
    if (event.kind === 'wheel') this.#cursor.move(event.step === 1 ? 'down' : 'up', this.#items.length);
    else this.#cursor.click(event.row - 1, this.#items.length);
  }

  draw({ columns, rows }: Size): readonly Row[] {
    const detail = this.#detailRows(columns);
    const room = Math.max(1, rows - 1 - detail.length);
    const { first, end } = this.#cursor.window(this.#items.length, room);
    const list = this.#items
      .slice(first, end)
      .map((item, index) => this.#row(item, first + index === this.#cursor.at, columns));
    const header = fitRow(
      [{ text: `  ${tableRow('AGENT', 'CONNECTS AS', 'STATE', 'CALLS', 'LAST ACTIVE')}`, style: DIM }],
      columns,
    );
    return [header, ...list, ...detail].slice(0, rows);
  }

  get #chosen(): Item | undefined {
    return this.#items[this.#cursor.at];
  }

  #firstAdapter(): number {
    return Math.max(
      0,
      this.#items.findIndex(({ kind }) => kind === 'adapter'),
    );
  }

  async #refresh(): Promise<void> {
    try {
      this.setStatus(await this.#options.bridge.status());
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

  #copy(adapter: AgentStatus): void {
    const { text } = this.#options.connecting(adapter, this.#status?.folders[0] ?? '.');
    const isCopied = this.#options.screen.copy(text);
    this.#options.screen.say(isCopied ? 'Copied, if the terminal allows it.' : 'Too long to copy.');
  }

  #row(item: Item, isChosen: boolean, columns: number): Row {
    const mark = isChosen ? '> ' : '  ';
    const { adapter } = item;
    let text: string;
    if (item.kind === 'client') {
      const { name, version, state, calls, lastActivity } = item.client;
      const full = version === undefined ? name : `${name} ${version}`;
      text = tableRow(full, adapter.name, state, String(calls), agoOf(lastActivity, Date.now()));
    } else text = tableRow('', adapter.name, 'listening', '', '');
    const spans: Span[] = [{ text: `${mark}${text}`, ...(item.kind === 'adapter' && { style: DIM }) }];
    return isChosen ? chosenRow(spans, columns) : fitRow(spans, columns);
  }

  /** How to connect an agent of the chosen kind, and where. */
  #detailRows(columns: number): Row[] {
    const chosen = this.#chosen;
    if (chosen === undefined) return [[], [{ text: 'No adapter is open.', style: DIM }]];
    const { name, endpoints, discoveryFiles } = chosen.adapter;
    const { words, text } = this.#options.connecting(chosen.adapter, this.#status?.folders[0] ?? '.');
    const rows: Row[] = [[], [{ text: `To connect: ${name}`, style: BOLD }]];
    for (const line of wrapWords(words, columns)) rows.push([{ text: line }]);
    for (const line of text.split('\n'))
      rows.push(fitRow([{ text: `    ${line}`, style: { colour: 'green' } }], columns));
    rows.push(fitRow([{ text: `listens at ${endpoints.join(' ')}`, style: DIM }], columns));
    for (const file of discoveryFiles) rows.push(fitRow([{ text: `found by   ${file}`, style: DIM }], columns));
    return rows;
  }
}

function isSame(one: Item, other: Item): boolean {
  if (one.kind === 'client' && other.kind === 'client') return one.client.id === other.client.id;
  return one.kind === other.kind && one.adapter.name === other.adapter.name;
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
