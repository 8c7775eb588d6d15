import type { Resource, ResourceContents, ResourceTemplate } from '@hawser/mcp';
import { compileUriTemplate } from '@hawser/mcp/client';
import { useStore } from '@hawser/page-parts/store';
import { timeInWords } from '@hawser/page-parts/visible-text';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { CallFailed } from '../channel.ts';
import type { Inspection } from '../inspection.ts';
import { Chip, Disclosure, FailureBox, ProblemBox } from '../parts/basics.tsx';
import { CompletedInput } from '../parts/completed-input.tsx';
import { ResourceBlock } from '../parts/content.tsx';
import { ListPane } from '../parts/list-pane.tsx';
import { SplitView } from '../parts/split-view.tsx';
import { Json, LongText, Name } from '../parts/text.tsx';
import type { ViewProps } from './view.ts';

export interface ResourcesViewProps extends ViewProps {
  /** A resource that another view asked for; the number changes with each request. */
  readonly wanted: { readonly uri: string; readonly number: number } | undefined;
}

/** The resources and templates of the server. */
export function ResourcesView({ inspection, wanted }: ResourcesViewProps) {
  const listing = useStore(inspection.resources);
  const templates = useStore(inspection.templates);
  const [selected, setSelected] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (wanted !== undefined) setSelected(`uri ${wanted.uri}`);
  }, [wanted]);
  const { items } = listing;
  const shapes = templates.items;
  const rows = useMemo(
    () => [
      ...shapes.map((each) => rowOf(`template ${each.uriTemplate}`, each.uriTemplate, each, 'template')),
      ...items.map((each) => rowOf(`uri ${each.uri}`, each.uri, each, undefined)),
    ],
    [items, shapes],
  );
  return (
    <SplitView
      what="resources"
      selected={selected}
      back={() => setSelected(undefined)}
      list={
        <ListPane
          what="resources"
          {...{ listing, rows, selected }}
          select={setSelected}
          reload={() => void inspection.load('resources')}
        />
      }
      detail={<Detail key={selected} {...{ inspection, items, shapes, selected }} number={wanted?.number} />}
    />
  );
}

function rowOf(key: string, uri: string, item: Resource | ResourceTemplate, kind: string | undefined) {
  const { name, title, description = '' } = item;
  return {
    key,
    searched: `${uri} ${name} ${title ?? ''} ${description}`.toLowerCase(),
    content: (
      <>
        <span class="row-name">
          <Name text={(title ?? name ?? uri).slice(0, 200)} />{' '}
          {kind === undefined ? null : <Chip tone="accent">{kind}</Chip>}
        </span>
        <span class="row-text wrap">
          <Name text={uri.slice(0, 300)} />
        </span>
      </>
    ),
  };
}

interface DetailProps {
  readonly inspection: Inspection;
  readonly items: readonly Resource[];
  readonly shapes: readonly ResourceTemplate[];
  readonly selected: string | undefined;
  readonly number: number | undefined;
}

function Detail({ inspection, items, shapes, selected, number }: DetailProps) {
  if (selected === undefined) return null;
  const [, kind, uri = ''] = /^(\S+) (.*)$/s.exec(selected) ?? [];
  if (kind === 'template') {
    const template = shapes.find(({ uriTemplate }) => uriTemplate === uri);
    return template === undefined ? null : <TemplateDetail template={template} inspection={inspection} />;
  }
  const resource = items.find((each) => each.uri === uri);
  return (
    <article class="stack">
      <ResourceHeader item={resource} uri={uri} />
      <Reader key={number} inspection={inspection} uri={uri} />
      {resource === undefined ? null : (
        <Disclosure title="Resource as JSON">
          <Json value={resource} label="Resource" />
        </Disclosure>
      )}
    </article>
  );
}

function ResourceHeader({
  item,
  uri,
}: {
  readonly item: Resource | ResourceTemplate | undefined;
  readonly uri: string;
}) {
  return (
    <header>
      <h3>
        <Name text={item?.title ?? item?.name ?? uri} />
      </h3>
      <p class="subtitle">
        <code>
          <Name text={uri} />
        </code>
      </p>
      {item?.mimeType === undefined ? null : <Chip>{item.mimeType.slice(0, 100)}</Chip>}
      {item?.description === undefined ? null : <LongText text={item.description} />}
    </header>
  );
}

function TemplateDetail({
  template,
  inspection,
}: {
  readonly template: ResourceTemplate;
  readonly inspection: Inspection;
}) {
  const { uriTemplate } = template;
  const compiled = useMemo(() => compiledOrProblem(uriTemplate), [uriTemplate]);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [uri, setUri] = useState<{ readonly text: string; readonly number: number } | undefined>(undefined);
  if (compiled instanceof Error) return <ProblemBox problem={{ message: compiled.message }} />;
  const expanded = compiled.expand(withoutEmpty(values));
  const submit = (event: Event) => {
    event.preventDefault();
    setUri({ text: expanded, number: (uri?.number ?? 0) + 1 });
  };
  return (
    <article class="stack">
      <ResourceHeader item={template} uri={uriTemplate} />
      <form class="stack" onSubmit={submit}>
        {compiled.variables.map((name) => (
          <CompletedInput
            key={name}
            {...{ inspection, name }}
            reference={{ type: 'ref/resource', uri: uriTemplate }}
            isRequired={false}
            value={values[name] ?? ''}
            others={withoutEmpty(values, name)}
            change={(value) => setValues({ ...values, [name]: value })}
          />
        ))}
        <p class="hint">
          <code>
            <Name text={expanded} />
          </code>
        </p>
        <div class="actions">
          <button type="submit" class="primary">
            Read
          </button>
        </div>
      </form>
      {uri === undefined ? null : <Reader key={`${uri.number} ${uri.text}`} inspection={inspection} uri={uri.text} />}
    </article>
  );
}

function compiledOrProblem(template: string): ReturnType<typeof compileUriTemplate> | Error {
  try {
    return compileUriTemplate(template);
  } catch (error) {
    return error as Error;
  }
}

/** The arguments that are filled in, except for one. */
export function withoutEmpty(values: Readonly<Record<string, string>>, name?: string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => key !== name && value !== ''));
}

type Reading =
  | { readonly kind: 'reading' }
  | { readonly kind: 'read'; readonly contents: readonly ResourceContents[]; readonly time: number }
  | { readonly kind: 'failed'; readonly failure: CallFailed };

/** Reads a resource at once, and again when the user wants. */
function Reader({ inspection, uri }: { readonly inspection: Inspection; readonly uri: string }) {
  const [reading, setReading] = useState<Reading>({ kind: 'reading' });
  const read = async () => {
    setReading({ kind: 'reading' });
    try {
      const { contents } = await inspection.call('resources/read', { uri });
      setReading({ kind: 'read', contents, time: Date.now() });
      inspection.announce('The resource is read.');
    } catch (error) {
      setReading({ kind: 'failed', failure: error as CallFailed });
    }
  };
  useEffect(() => void read(), []);
  return (
    <section class="stack" aria-label="Contents">
      <div class="actions">
        <button type="button" onClick={read} disabled={reading.kind === 'reading'}>
          {reading.kind === 'reading' ? 'Reading…' : 'Read again'}
        </button>
        <Subscription inspection={inspection} uri={uri} readAt={reading.kind === 'read' ? reading.time : undefined} />
      </div>
      {reading.kind === 'failed' ? <FailureBox failure={reading.failure} /> : null}
      {reading.kind === 'read'
        ? reading.contents.map((contents) => <ResourceBlock key={contents.uri} contents={contents} />)
        : null}
      {reading.kind === 'read' && reading.contents.length === 0 ? (
        <p class="hint">The resource has no contents.</p>
      ) : null}
    </section>
  );
}

interface SubscriptionProps {
  readonly inspection: Inspection;
  readonly uri: string;
  readonly readAt: number | undefined;
}

function Subscription({ inspection, uri, readAt }: SubscriptionProps) {
  const server = useStore(inspection.server);
  const updates = useStore(inspection.updates);
  const subscriptions = useStore(inspection.subscriptions);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  if (server.kind !== 'connected' || server.server.capabilities.resources?.subscribe !== true) return null;
  const isSubscribed = subscriptions.has(uri);
  const toggle = async () => {
    try {
      setProblem(undefined);
      await inspection.subscribe(uri, isSubscribed ? 'end' : 'begin');
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const updated = updates.get(uri);
  return (
    <>
      <button type="button" aria-pressed={isSubscribed} onClick={toggle}>
        {isSubscribed ? 'Subscribed' : 'Subscribe'}
      </button>
      {updated === undefined ? null : (
        <Chip tone={readAt !== undefined && updated > readAt ? 'warning' : 'neutral'}>
          changed at {timeInWords(updated)}
        </Chip>
      )}
      {problem === undefined ? null : <span class="field-problem">{problem}</span>}
    </>
  );
}
