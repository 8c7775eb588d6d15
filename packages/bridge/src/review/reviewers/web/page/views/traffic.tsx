import { useStore } from '@hawser/page-parts/store';
import { prettyJson, timeInWords, visible } from '@hawser/page-parts/visible-text';
import { useState } from 'preact/hooks';
import type { TrafficEntry } from '../../../../../traffic/traffic.ts';
import type { SessionProps } from '../app.tsx';

const SHOWN = 300;

/** The messages of agents, the newest first, without secrets. */
export function TrafficView({ session }: SessionProps) {
  const all = useStore(session.traffic);
  const [filter, setFilter] = useState('');
  const [held, setHeld] = useState<readonly TrafficEntry[] | undefined>(undefined);
  const words = filter.toLowerCase();
  const found = (held ?? all).filter(({ client, method = '' }) =>
    `${client.name} ${method}`.toLowerCase().includes(words),
  );
  return (
    <div class="view scroller stack">
      <h2>Traffic</h2>
      <div class="toolbar">
        <label class="grow">
          <span class="sr-only">Filter by agent or method</span>
          <input
            type="search"
            placeholder="Agent or method"
            value={filter}
            onInput={({ currentTarget: { value } }) => setFilter(value)}
          />
        </label>
        <button
          type="button"
          aria-pressed={held !== undefined}
          onClick={() => setHeld(held === undefined ? all : undefined)}
        >
          Hold
        </button>
      </div>
      {found.length === 0 ? <p class="nothing">No messages yet.</p> : null}
      <ol class="plain messages" aria-label="Messages">
        {found
          .slice(-SHOWN)
          .toReversed()
          .map((entry) => (
            <Message key={entry.number} entry={entry} />
          ))}
      </ol>
    </div>
  );
}

function Message({ entry }: { readonly entry: TrafficEntry }) {
  const [isOpen, setOpen] = useState(false);
  const { time, client, direction, kind, method, message } = entry;
  return (
    <li>
      <button type="button" class="message-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="count">{timeInWords(time)}</span>
        <span aria-hidden="true">{direction === 'received' ? '←' : '→'}</span>
        <span class="sr-only">{direction}</span>
        <span class="grow">
          {visible(method ?? kind)} <span class="hint">{visible(client.name)}</span>
        </span>
        <span class={kind === 'error' ? 'chip chip-bad' : 'chip'}>{kind}</span>
      </button>
      {isOpen ? <pre class="message-body">{prettyJson(message)}</pre> : null}
    </li>
  );
}
