import { useStore } from '@hawser/page-parts/store';
import { ThemeChoice } from '@hawser/page-parts/views/theme-choice';
import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Inspection, Listing, Phase } from './inspection.ts';
import { Name } from './parts/text.tsx';
import type { ToolCalls } from './tool-calls.ts';
import { CheckView } from './views/check.tsx';
import { LogView } from './views/log.tsx';
import { PromptsView } from './views/prompts.tsx';
import { Questions } from './views/questions.tsx';
import { RawView } from './views/raw.tsx';
import { ResourcesView } from './views/resources.tsx';
import { ServerView } from './views/server.tsx';
import { ToolsView } from './views/tools.tsx';
import { TrafficView } from './views/traffic.tsx';
import type { ViewName, ViewProps } from './views/view.ts';

export interface AppProps {
  readonly inspection: Inspection;
  readonly calls: ToolCalls;
  readonly reopen: () => void;
}

/** What views get that all of them need, and what only some do. */
interface AnyViewProps extends ViewProps {
  readonly calls: ToolCalls;
  /** A resource to show. */
  readonly wanted: { readonly uri: string; readonly number: number } | undefined;
}

interface ViewEntry {
  readonly name: ViewName;
  readonly title: string;
  readonly View: FunctionComponent<AnyViewProps>;
}

const VIEWS: readonly ViewEntry[] = [
  { name: 'server', title: 'Server', View: ServerView },
  { name: 'tools', title: 'Tools', View: ToolsView },
  { name: 'resources', title: 'Resources', View: ResourcesView },
  { name: 'prompts', title: 'Prompts', View: PromptsView },
  { name: 'log', title: 'Log', View: LogView },
  { name: 'traffic', title: 'Traffic', View: TrafficView },
  { name: 'check', title: 'Check', View: CheckView },
  { name: 'raw', title: 'Raw', View: RawView },
];
const STORAGE_KEY = 'view';

/** The frame: which server, which view, what is new. */
export function App({ inspection, calls, reopen }: AppProps) {
  const phase = useStore(inspection.phase);
  const [view, setView] = useState<ViewName>(storedView);
  const [wanted, setWanted] = useState<{ readonly uri: string; readonly number: number } | undefined>(undefined);
  const [isBeside, setBeside] = useState(false);
  const show = (name: ViewName) => {
    sessionStorage.setItem(STORAGE_KEY, name);
    setView(name);
  };
  const openResource = (uri: string) => {
    setWanted({ uri, number: (wanted?.number ?? 0) + 1 });
    show('resources');
  };
  const isTrafficBeside = isBeside && view !== 'traffic';
  return (
    <div class={isTrafficBeside ? 'app with-aside' : 'app'}>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the view
      </button>
      <Header inspection={inspection} isBeside={isBeside} setBeside={setBeside} />
      <Navigation inspection={inspection} view={view} show={show} />
      <main id="main" tabIndex={-1} aria-label={VIEWS.find(({ name }) => name === view)?.title}>
        <Announcer inspection={inspection} />
        {phase === 'open' || phase === 'opening' ? null : <Ended phase={phase} reopen={reopen} />}
        <Notices inspection={inspection} />
        <Questions inspection={inspection} />
        <Views current={view} {...{ inspection, calls, openResource, wanted }} />
      </main>
      {isTrafficBeside ? (
        <aside aria-label="Traffic">
          <TrafficView inspection={inspection} isActive openResource={openResource} />
        </aside>
      ) : null}
    </div>
  );
}

function storedView(): ViewName {
  const stored = sessionStorage.getItem(STORAGE_KEY);
  return VIEWS.find(({ name }) => name === stored)?.name ?? 'server';
}

/** A view is made when it is first shown, and kept: what the user has typed stays. */
function Views({ current, ...props }: Omit<AnyViewProps, 'isActive'> & { readonly current: ViewName }) {
  const [made, setMade] = useState<ReadonlySet<ViewName>>(new Set([current]));
  useEffect(() => {
    if (!made.has(current)) setMade(new Set([...made, current]));
  }, [current, made]);
  return VIEWS.filter(({ name }) => made.has(name) || name === current).map(({ name, title, View }) => (
    <section key={name} class={`view view-${name}`} hidden={name !== current} aria-labelledby={`title-${name}`}>
      <h2 id={`title-${name}`} class="view-title">
        {title}
      </h2>
      <View {...props} isActive={name === current} />
    </section>
  ));
}

interface HeaderProps {
  readonly inspection: Inspection;
  readonly isBeside: boolean;
  readonly setBeside: (isBeside: boolean) => void;
}

function Header({ inspection, isBeside, setBeside }: HeaderProps) {
  const state = useStore(inspection.server);
  const questions = useStore(inspection.questions);
  return (
    <header class="top">
      <h1>
        <img src="/icon.svg" alt="" width="24" height="24" /> Hawser <span>Inspect</span>
      </h1>
      <p class={`status status-${state.kind}`}>
        <span class="dot" aria-hidden="true" />
        <span class="status-text">
          {state.kind === 'connected' ? (
            <Name text={state.server.serverInfo?.title ?? state.server.serverInfo?.name ?? state.server.target} />
          ) : null}
          {state.kind === 'connecting' ? 'Connecting…' : null}
          {state.kind === 'disconnected' ? 'Not connected' : null}
        </span>
      </p>
      <div class="top-tools">
        {questions.length === 0 ? null : (
          <button type="button" class="primary asked" onClick={() => document.getElementById('questions')?.focus()}>
            {questions.length === 1 ? '1 question' : `${questions.length} questions`}
          </button>
        )}
        <button type="button" class="beside" aria-pressed={isBeside} onClick={() => setBeside(!isBeside)}>
          Traffic beside
        </button>
        <ThemeChoice />
      </div>
    </header>
  );
}

interface NavigationProps {
  readonly inspection: Inspection;
  readonly view: ViewName;
  readonly show: (name: ViewName) => void;
}

function Navigation({ inspection, view, show }: NavigationProps) {
  const tools = useStore(inspection.tools);
  const resources = useStore(inspection.resources);
  const templates = useStore(inspection.templates);
  const prompts = useStore(inspection.prompts);
  const counts: Partial<Record<ViewName, number | undefined>> = {
    tools: countOf(tools),
    resources: sum(countOf(resources), countOf(templates)),
    prompts: countOf(prompts),
  };
  return (
    <nav aria-label="Views">
      {VIEWS.map(({ name, title }) => (
        <button key={name} type="button" aria-current={name === view ? 'page' : undefined} onClick={() => show(name)}>
          {title}
          {counts[name] === undefined ? null : <span class="badge">{counts[name]}</span>}
        </button>
      ))}
    </nav>
  );
}

function countOf({ kind, items }: Listing<unknown>): number | undefined {
  return kind === 'loaded' ? items.length : undefined;
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}

/** Says aloud what screen readers would miss. */
function Announcer({ inspection }: { readonly inspection: Inspection }) {
  const { text, isAlert, key } = useStore(inspection.announcement);
  return (
    <div class="sr-only">
      <p role="status">{isAlert ? '' : <span key={key}>{text}</span>}</p>
      <p role="alert">{isAlert ? <span key={key}>{text}</span> : ''}</p>
    </div>
  );
}

function Notices({ inspection }: { readonly inspection: Inspection }) {
  const notices = useStore(inspection.notices);
  return notices.map(({ key, text }) => (
    <div key={key} class="notice" role="status">
      <p>
        <Name text={text.slice(0, 1000)} />
      </p>
      <button type="button" class="link" onClick={() => inspection.closeNotice(key)} aria-label="Close this message">
        Close
      </button>
    </div>
  ));
}

const ENDS: Readonly<
  Record<
    Exclude<Phase, 'open' | 'opening'>,
    { readonly message: string; readonly advice: string; readonly action?: string }
  >
> = {
  refused: {
    message: 'This page has no access.',
    advice:
      'A link of hawser inspect works once, and only while the command runs. Open the newest link that the command printed; it prints another one when its page is closed.',
  },
  lost: {
    message: 'The connection to hawser inspect has ended.',
    advice: 'If the command has ended, start it again and open its new link.',
    action: 'Try again',
  },
  replaced: {
    message: 'Another page has taken over.',
    advice: 'There is one page at a time.',
    action: 'Use this page',
  },
};

function Ended({ phase, reopen }: { readonly phase: Exclude<Phase, 'open' | 'opening'>; readonly reopen: () => void }) {
  const { message, advice, action } = ENDS[phase];
  return (
    <div class="problem ended" role="alert">
      <p class="problem-message">{message}</p>
      <p>{advice}</p>
      {action === undefined ? null : (
        <button type="button" onClick={reopen}>
          {action}
        </button>
      )}
    </div>
  );
}
