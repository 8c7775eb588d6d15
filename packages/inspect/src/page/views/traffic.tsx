import { useStore } from '@hawser/page-parts/store';
import { durationInWords, prettyJson, sizeInWords, timeInWords, visible } from '@hawser/page-parts/visible-text';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Chip, Nothing } from '../parts/basics.tsx';
import { saveFile } from '../parts/content.tsx';
import { JsonText, Name } from '../parts/text.tsx';
import { type TrafficMessage, transcriptOf, type TrafficView as View } from '../traffic-messages.ts';
import type { ViewProps } from './view.ts';

type Direction = 'all' | 'sent' | 'received' | 'errors' | 'stderr';

const ROWS_AT_ONCE = 200;
/** From the end of the list; closer than this, the list follows new messages. */
const NEAR_PX = 40;

/** Every message, both ways, as it happens. */
export function TrafficView({ inspection, isActive }: ViewProps) {
  const live = useStore(inspection.traffic, isActive);
  const [held, setHeld] = useState<View | undefined>(undefined);
  const [filter, setFilter] = useState('');
  const [direction, setDirection] = useState<Direction>('all');
  const [limit, setLimit] = useState(ROWS_AT_ONCE);
  const [open, setOpen] = useState<number | undefined>(undefined);
  const { messages, dropped } = held ?? live;
  const found = useMemo(() => messages.filter(matching(filter, direction)), [messages, filter, direction]);
  const shown = found.slice(-limit);
  const list = useFollowing(shown.at(-1)?.number);
  const waiting = held === undefined ? 0 : countAfter(live.messages, held.messages.at(-1)?.number ?? 0);
  const save = () => {
    const blob = new Blob([transcriptOf(messages, dropped)], { type: 'text/plain' });
    saveFile(blob, `session-${new Date().toISOString().replace(/[:.]/g, '-')}.transcript`);
  };
  return (
    <div class="traffic">
      <div class="toolbar">
        <label class="grow">
          <span class="sr-only">Filter messages</span>
          <input
            type="search"
            placeholder="Filter messages"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
        <label>
          <span class="sr-only">Kind of message</span>
          <select value={direction} onChange={(event) => setDirection(event.currentTarget.value as Direction)}>
            <option value="all">All</option>
            <option value="sent">Sent</option>
            <option value="received">Received</option>
            <option value="errors">Errors</option>
            <option value="stderr">stderr</option>
          </select>
        </label>
        <button
          type="button"
          aria-pressed={held !== undefined}
          onClick={() => setHeld(held === undefined ? live : undefined)}
        >
          {held === undefined ? 'Pause' : waiting > 0 ? `Resume (${waiting} new)` : 'Resume'}
        </button>
        <button type="button" onClick={() => inspection.clearTraffic()}>
          Clear
        </button>
        <button type="button" onClick={save} disabled={messages.length === 0}>
          Save transcript
        </button>
      </div>
      <p class="count" role="status">
        {found.length === messages.length
          ? `${messages.length} messages`
          : `${found.length} of ${messages.length} messages`}
        {dropped > 0 ? `. ${dropped} older ones were dropped: the page keeps 5000 messages or 16 MB.` : ''}
      </p>
      {messages.length === 0 ? <Nothing>No messages yet.</Nothing> : null}
      <ol ref={list} class="plain messages" aria-label="Messages">
        {found.length > limit ? (
          <li>
            <button type="button" class="more" onClick={() => setLimit(limit + ROWS_AT_ONCE)}>
              Show earlier messages ({found.length - limit})
            </button>
          </li>
        ) : null}
        {shown.map((message) => (
          <Row
            key={message.number}
            message={message}
            isOpen={open === message.number}
            toggle={() => setOpen(open === message.number ? undefined : message.number)}
          />
        ))}
      </ol>
    </div>
  );
}

/** Keeps the end of a list in view while the user is at the end. */
function useFollowing(last: number | undefined) {
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = list.current;
    if (element === null) return undefined;
    const look = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
    };
    element.addEventListener('scroll', look, { passive: true });
    return () => element.removeEventListener('scroll', look);
  }, []);
  useEffect(() => {
    if (isAtEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [last]);
  return list;
}

function countAfter(messages: readonly TrafficMessage[], number: number): number {
  return messages.filter((message) => message.number > number).length;
}

function matching(filter: string, direction: Direction): (message: TrafficMessage) => boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ kind, what, method = '', text }) => {
    if ((direction === 'sent' || direction === 'received' || direction === 'stderr') && kind !== direction)
      return false;
    if (direction === 'errors' && what !== 'error' && kind !== 'malformed') return false;
    if (words.length === 0) return true;
    const searched = `${method} ${text}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  };
}

interface RowProps {
  readonly message: TrafficMessage;
  readonly isOpen: boolean;
  readonly toggle: () => void;
}

function Row({ message, isOpen, toggle }: RowProps) {
  const { kind, time, text, ms, cutFrom, session } = message;
  const { sign, words } = SIGNS[kind];
  if (kind === 'opened' || kind === 'closed' || kind === 'disconnected') {
    return (
      <li class="divider">
        <span class="time">{timeInWords(time)}</span> Connection {session} {words} <Name text={text.slice(0, 300)} />
      </li>
    );
  }
  return (
    <li class={`message-row message-${kind}`}>
      <button type="button" class="message-head" aria-expanded={isOpen} onClick={toggle}>
        <span class="time">{timeInWords(time)}</span>
        <span class="sign" aria-hidden="true">
          {sign}
        </span>
        <span class="sr-only">{words}</span>
        <span class="message-what">
          <What message={message} />
        </span>
        <span class="hint">
          {ms === undefined ? '' : `${durationInWords(ms)} · `}
          {sizeInWords(cutFrom ?? text.length)}
        </span>
      </button>
      {isOpen ? <MessageBody message={message} /> : null}
    </li>
  );
}

const SIGNS: Readonly<Record<TrafficMessage['kind'], { readonly sign: string; readonly words: string }>> = {
  sent: { sign: '→', words: 'sent' },
  received: { sign: '←', words: 'received' },
  malformed: { sign: '!', words: 'received, not a message' },
  stderr: { sign: '#', words: 'stderr' },
  opened: { sign: '', words: 'opened:' },
  closed: { sign: '', words: 'closed:' },
  disconnected: { sign: '', words: 'ended by you:' },
};

function What({ message }: { readonly message: TrafficMessage }) {
  const { kind, what, method, id, text } = message;
  if (kind === 'stderr' || kind === 'malformed') return <Name text={text.slice(0, 300)} />;
  const name = method === undefined ? 'unknown request' : method;
  if (what === 'request' || what === 'notification') {
    return (
      <>
        <Name text={name.slice(0, 200)} />{' '}
        <span class="hint">{id === undefined ? '' : `id ${visible(id).slice(0, 60)}`}</span>
      </>
    );
  }
  if (what === 'other') return <Name text={text.slice(0, 200)} />;
  return (
    <>
      <Chip tone={what === 'error' ? 'bad' : 'good'}>{what}</Chip> <Name text={name.slice(0, 200)} />{' '}
      <span class="hint">id {visible(id ?? 'none').slice(0, 60)}</span>
    </>
  );
}

function MessageBody({ message: { text, cutFrom } }: { readonly message: TrafficMessage }) {
  const pretty = useMemo(() => prettyOf(text), [text]);
  return (
    <div class="message-body">
      {cutFrom === undefined ? null : (
        <p class="hint">The message has {sizeInWords(cutFrom)}. This is its beginning.</p>
      )}
      <JsonText text={pretty} label="Message" />
    </div>
  );
}

function prettyOf(text: string): string {
  try {
    return prettyJson(JSON.parse(text));
  } catch {
    return visible(text);
  }
}
