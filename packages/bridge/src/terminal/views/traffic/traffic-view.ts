import { resolve } from 'node:path';
import type { ControlClient } from '../../../control/control-client.ts';
import type { TrafficEntry } from '../../../traffic/traffic.ts';
import { DIM, fitRow, padded } from '../../fit-row.ts';
import type { Key } from '../../keys.ts';
import { ListCursor, MOVE_HELP } from '../../list-cursor.ts';
import type { MouseEvent } from '../../mouse.ts';
import type { Row, Span } from '../../paint.ts';
import type { Size } from '../../terminal.ts';
import type { KeyHelp, Screen, View } from '../../view.ts';
import { MessagePage } from './message-page.ts';
import { freeName, saveTraffic } from './save-traffic.ts';
import { parseFilter } from './traffic-filter.ts';
import { TrafficRing } from './traffic-ring.ts';

export interface TrafficViewOptions {
  readonly screen: Screen;
  readonly bridge: Pick<ControlClient, 'announce' | 'watchTraffic'>;
  /** Where files are saved. */
  readonly folder: string;
}

/** The messages between agents and the bridge, as they pass, and the last ones from before. */
export class TrafficView implements View {
  readonly name = 'traffic';
  readonly title = 'Traffic';
  readonly help: readonly KeyHelp[] = [
    ...MOVE_HELP,
    { keys: 'Enter', does: 'show the whole message; Esc goes back' },
    { keys: 'f', does: 'stop following new messages, or follow again' },
    { keys: '/', does: 'filter: in or out, agent:NAME, method:NAME, and any text; Esc shows all again' },
    { keys: 'd a', does: 'filter by direction, by the agent of the chosen message' },
    { keys: 's', does: 'save what is listed to a new file, readable for you alone' },
    { keys: 'c', does: 'copy the message to the clipboard of the terminal' },
    { keys: 'x', does: 'forget all messages' },
    { keys: '', does: 'Secrets are redacted and long texts cut before they are recorded.' },
  ];
  readonly #options: TrafficViewOptions;
  readonly #ring = new TrafficRing();
  readonly #cursor = new ListCursor<TrafficEntry>();
  #filter = '';
  #page: MessagePage | undefined;
  #isFollowing = true;
  #isWatching = false;

  constructor(options: TrafficViewOptions) {
    this.#options = options;
  }

  get hints(): string {
    if (this.#page !== undefined) return 'c copy  Esc back';
    return `Enter show  / filter  s save  f ${this.#isFollowing ? 'stop following' : 'follow'}`;
  }

  activate(): void {
    this.watch();
  }

  /** Begins recording before the view is shown. */
  watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const { screen, bridge } = this.#options;
    const receive = ({ entries, dropped }: { readonly entries: readonly TrafficEntry[]; readonly dropped: number }) => {
      if (this.#ring.add(entries, dropped) > 0) this.#select();
      else {
        this.#cursor.items = [...this.#cursor.items, ...entries.filter(parseFilter(this.#filter))];
        if (this.#isFollowing) this.#follow(true);
      }
      screen.redraw();
    };
    bridge.watchTraffic(receive).catch((error: Error) => {
      this.#isWatching = false;
      screen.say(error.message);
    });
  }

  key(key: Key): 'handled' | 'unknown' {
    if (this.#page !== undefined) return this.#keyInPage(this.#page, key);
    const { screen } = this.#options;
    const { chosen } = this.#cursor;
    if (this.#cursor.move(key)) {
      this.#isFollowing = key === 'G' || key === 'end';
      return 'handled';
    }
    if (key === 'enter') this.#page = chosen && new MessagePage(chosen);
    else if (key === 'f') this.#follow(!this.#isFollowing);
    else if (key === '/') {
      const before = this.#filter;
      const change = (text: string) => this.#setFilter(text);
      screen.prompt({ label: 'filter ', text: before, change, enter: change, cancel: () => change(before) });
    } else if (key === 'd') this.#setFilter(nextDirection(this.#filter));
    else if (key === 'a') this.#setFilter(toggled(this.#filter, chosen));
    else if (key === 'escape') this.#setFilter('');
    else if (key === 's') this.#askForName();
    else if (key === 'c' && chosen !== undefined) this.#copy(new MessagePage(chosen).text);
    else if (key === 'x') {
      this.#ring.clear();
      this.#select();
    } else return 'unknown';
    return 'handled';
  }

  mouse(event: MouseEvent): void {
    if (event.kind === 'wheel') this.key(event.step === 1 ? 'down' : 'up');
    else if (this.#page === undefined && this.#cursor.mouse(event)) this.key('enter');
  }

  draw(size: Size): readonly Row[] {
    if (this.#page !== undefined) return this.#page.draw(size);
    const { columns, rows } = size;
    const list = this.#cursor.drawList({ columns, rows: rows - 1 }, entrySpans);
    return [fitRow([{ text: this.#summary(), style: DIM }], columns), ...list];
  }

  #keyInPage(page: MessagePage, key: Key): 'handled' | 'unknown' {
    if (page.key(key)) return 'handled';
    if (key === 'escape' || key === 'enter' || key === 'backspace') this.#page = undefined;
    else if (key === 'c') this.#copy(page.text);
    else return 'unknown';
    return 'handled';
  }

  #copy(text: string): void {
    const { screen } = this.#options;
    screen.say(screen.copy(text) ? 'Copied.' : 'Too long to copy; s saves it.');
  }

  #follow(isFollowing: boolean): void {
    this.#isFollowing = isFollowing;
    if (isFollowing) this.#cursor.choose(this.#cursor.items.length - 1);
  }

  #setFilter(filter: string): void {
    this.#filter = filter;
    this.#select();
  }

  /** The chosen message stays chosen, unless new ones are followed. */
  #select(): void {
    const { chosen } = this.#cursor;
    this.#cursor.items = this.#ring.entries.filter(parseFilter(this.#filter));
    if (this.#isFollowing) this.#follow(true);
    else if (chosen !== undefined) {
      const { items } = this.#cursor;
      const at = items.findIndex(({ number }) => number >= chosen.number);
      this.#cursor.choose(at === -1 ? items.length - 1 : at);
    }
  }

  #askForName(): void {
    const { screen, bridge, folder } = this.#options;
    const entries = this.#cursor.items;
    if (entries.length === 0) {
      screen.say('There is no message to save.');
      return;
    }
    screen.prompt({
      label: `save ${entries.length} messages to `,
      text: freeName(folder),
      enter: (name) => {
        if (name.trim() === '') return;
        const path = resolve(folder, name.trim());
        saveTraffic(path, entries, bridge).then(
          () => screen.say(`Saved ${entries.length} messages to ${path}`),
          (error: Error) => screen.say(error.message),
        );
      },
    });
  }

  #summary(): string {
    const { entries, lost } = this.#ring;
    const parts = [
      this.#filter === ''
        ? `${entries.length} messages`
        : `${this.#cursor.items.length} of ${entries.length}: ${this.#filter}`,
      ...(lost > 0 ? [`${lost} older ones lost`] : []),
      this.#isFollowing ? 'following' : 'not following: f follows',
    ];
    return entries.length === 0
      ? 'No messages yet: what agents and the bridge say to each other appears here.'
      : parts.join(', ');
  }
}

function entrySpans(entry: TrafficEntry): readonly Span[] {
  const { time, direction, client, adapter, kind, method = '?', characters } = entry;
  const clock = localClock(new Date(time));
  const agent = client.name === 'unknown' ? adapter : client.name;
  return [
    { text: `${clock} `, style: DIM },
    {
      text: direction === 'received' ? 'in  ' : 'out ',
      style: { colour: direction === 'received' ? 'green' : 'cyan' },
    },
    { text: `${padded(agent, 14)} ` },
    { text: `${kind === 'error' ? 'error ' : kind === 'result' ? 'answer ' : ''}${method}`, style: styleOf(kind) },
    { text: `  ${gistOf(entry)}`, style: DIM },
    { text: characters > 1000 ? `  ${Math.ceil(characters / 1000)} kB` : '', style: DIM },
  ];
}

/** As in `18:06:48.825`, in the time zone of the user. */
function localClock(date: Date): string {
  const minutesBehind = date.getTimezoneOffset();
  return new Date(date.getTime() - minutesBehind * 60_000).toISOString().slice(11, 23);
}

function styleOf(kind: TrafficEntry['kind']): NonNullable<Span['style']> {
  if (kind === 'error') return { colour: 'red', weight: 'bold' };
  return kind === 'request' ? { weight: 'bold' } : {};
}

/** The name of the tool, or the message of the error. */
function gistOf({ message }: TrafficEntry): string {
  const { params, error } = message as {
    readonly params?: { readonly name?: unknown };
    readonly error?: { readonly message?: unknown };
  };
  const gist = error?.message ?? params?.name;
  return typeof gist === 'string' ? gist.slice(0, 200) : '';
}

/** Both directions, then those of agents, then those to agents. */
function nextDirection(filter: string): string {
  const rest = filter.split(/\s+/).filter((word) => word !== 'in' && word !== 'out' && word !== '');
  const now = filter.split(/\s+/);
  const next = now.includes('in') ? ['out'] : now.includes('out') ? [] : ['in'];
  return [...next, ...rest].join(' ');
}

/** With the chosen agent alone, or with all of them again. */
function toggled(filter: string, chosen: TrafficEntry | undefined): string {
  const words = filter.split(/\s+/).filter((word) => word !== '');
  const rest = words.filter((word) => !word.startsWith('agent:'));
  if (rest.length < words.length || chosen === undefined) return rest.join(' ');
  return [`agent:${chosen.client.id}`, ...rest].join(' ');
}
