import { useStore } from '@hawser/page-parts/store';
import { Dialogs } from './dialogs.tsx';
import type { LinkState } from './page-link.ts';
import type { Session, ViewName } from './session.ts';
import { Settings } from './settings.tsx';
import { AgentsView } from './views/agents.tsx';
import { LogView } from './views/log.tsx';
import { ProblemsView } from './views/problems.tsx';
import { ReviewView } from './views/review.tsx';
import { TrafficView } from './views/traffic.tsx';

export interface SessionProps {
  readonly session: Session;
}

const VIEWS: readonly { readonly name: ViewName; readonly title: string }[] = [
  { name: 'review', title: 'Review' },
  { name: 'agents', title: 'Agents' },
  { name: 'traffic', title: 'Traffic' },
  { name: 'problems', title: 'Problems' },
  { name: 'log', title: 'Log' },
];

/** The frame: which bridge, which view, what was said. */
export function App({ session }: SessionProps) {
  const view = useStore(session.view);
  return (
    <div class="app">
      <Header session={session} />
      <Navigation session={session} />
      <main aria-label={VIEWS.find(({ name }) => name === view)?.title}>
        <Connection session={session} />
        <View name={view} session={session} />
      </main>
      <Message session={session} />
      <Dialogs session={session} />
    </div>
  );
}

function View({ name, session }: SessionProps & { readonly name: ViewName }) {
  switch (name) {
    case 'review':
      return <ReviewView session={session} />;
    case 'agents':
      return <AgentsView session={session} />;
    case 'traffic':
      return <TrafficView session={session} />;
    case 'problems':
      return <ProblemsView session={session} />;
    case 'log':
      return <LogView session={session} />;
  }
}

function Header({ session }: SessionProps) {
  const status = useStore(session.status);
  const folder = status?.folders[0]?.split('/').at(-1);
  return (
    <header class="top">
      <h1>
        <img src="/icon.svg" alt="" width="24" height="24" /> Hawser <span>{folder ?? 'Review'}</span>
      </h1>
      <div class="top-tools">
        <button type="button" aria-pressed={status?.paused === true} onClick={() => session.togglePause()}>
          {status?.paused === true ? 'Paused' : 'Pause'}
        </button>
        <div class="settings wide-only">
          <Settings />
        </div>
        <button type="button" aria-label="Settings and keys" onClick={() => session.dialog.set({ kind: 'help' })}>
          ?
        </button>
      </div>
    </header>
  );
}

function Navigation({ session }: SessionProps) {
  const view = useStore(session.view);
  useStore(session.reviewed);
  const status = useStore(session.status);
  const waiting = session.review.changes.entries.filter(({ outcome }) => outcome === undefined).length;
  const agents = status?.agents.flatMap(({ clients }) => clients).length ?? 0;
  const badges: Partial<Record<ViewName, number>> = { review: waiting, agents };
  return (
    <nav aria-label="Views">
      {VIEWS.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          aria-current={name === view ? 'page' : undefined}
          onClick={() => session.show(name)}
        >
          {title} {(badges[name] ?? 0) > 0 ? <span class="badge">{badges[name]}</span> : null}
        </button>
      ))}
    </nav>
  );
}

const SAID: Readonly<Record<Exclude<LinkState, 'connected'>, { readonly words: string; readonly advice: string }>> = {
  connecting: { words: 'Connecting…', advice: '' },
  lost: {
    words: 'The connection to the bridge is lost.',
    advice: 'This page connects again by itself. What you typed is kept. If the bridge has ended, start it again.',
  },
  refused: {
    words: 'This page has no access.',
    advice:
      'A link works once, and a login ends after some time or with the bridge. Run hawser review --web for a new link.',
  },
};

function Connection({ session }: SessionProps) {
  const link = useStore(session.link);
  const status = useStore(session.status);
  // Nothing blinks while the page opens.
  if (link === 'connected' || (link === 'connecting' && status === undefined)) return null;
  const { words, advice } = SAID[link];
  return (
    <div class="problem connection" role="alert">
      <p class="problem-message">{words}</p>
      {advice === '' ? null : <p>{advice}</p>}
    </div>
  );
}

function Message({ session }: SessionProps) {
  useStore(session.reviewed);
  const { message, deciding } = session.review;
  const text = deciding.isBusy ? 'Deciding…' : message;
  return (
    <p class={text === '' ? 'message message-empty' : 'message'} role="status">
      {text}
    </p>
  );
}
