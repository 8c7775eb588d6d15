import type { CallToolResult, Progress, Tool } from '@hawser/mcp';
import { useStore } from '@hawser/page-parts/store';
import { TextDiff } from '@hawser/page-parts/views/text-diff';
import { firstLine, prettyJson, timeInWords, visible } from '@hawser/page-parts/visible-text';
import { useMemo, useState } from 'preact/hooks';
import { SchemaForm } from '../form/schema-form.tsx';
import type { Schema } from '../form/schema-shape.ts';
import { Chip, Disclosure, FailureBox } from '../parts/basics.tsx';
import { Content } from '../parts/content.tsx';
import { ListPane, namedRow } from '../parts/list-pane.tsx';
import { SplitView } from '../parts/split-view.tsx';
import { Json, LongText, Name } from '../parts/text.tsx';
import { outcomeInWords, type ToolCallRecord, type ToolCalls } from '../tool-calls.ts';
import type { ViewProps } from './view.ts';

export interface ToolsViewProps extends ViewProps {
  readonly calls: ToolCalls;
}

/** The tools of the server, a form for each, and the calls so far. */
export function ToolsView(props: ToolsViewProps) {
  const { inspection, calls } = props;
  const listing = useStore(inspection.tools);
  const [selected, setSelected] = useState<string | undefined>(undefined);
  // The arguments to fill in; the number makes a new form.
  const [filled, setFilled] = useState<{ readonly number: number; readonly value: unknown }>({
    number: 0,
    value: undefined,
  });
  const tools = listing.items;
  const rows = useMemo(() => tools.map(rowOf), [tools]);
  const tool = tools.find(({ name }) => name === selected);
  const select = (name: string | undefined, value?: unknown) => {
    setSelected(name);
    setFilled(({ number }) => ({ number: number + 1, value }));
  };
  const again = ({ tool: name, arguments: args }: ToolCallRecord) => {
    select(name, args);
    void calls.run(name, args);
  };
  const detail =
    tool === undefined ? null : (
      <ToolDetail
        key={`${tool.name} ${filled.number}`}
        {...props}
        {...{ tool, again }}
        initial={filled.value}
        edit={select}
      />
    );
  return (
    <SplitView
      what="tools"
      selected={tool?.name}
      back={() => select(undefined)}
      list={
        <ListPane what="tools" {...{ listing, rows, selected, select }} reload={() => void inspection.load('tools')} />
      }
      detail={detail}
    />
  );
}

function rowOf({ name, title, description = '', annotations }: Tool) {
  const line = firstLine(description) || title || annotations?.title || '';
  return namedRow(name, { line, searched: `${title ?? ''} ${description}` });
}

interface ToolDetailProps extends ToolsViewProps {
  readonly tool: Tool;
  readonly initial: unknown;
  readonly again: (record: ToolCallRecord) => void;
  readonly edit: (name: string, value: unknown) => void;
}

function ToolDetail({ inspection, calls, tool, initial, again, edit, openResource }: ToolDetailProps) {
  const records = useStore(calls.records);
  const progress = useStore(inspection.progress);
  const { name, title, description, inputSchema, outputSchema, annotations, _meta } = tool;
  const own = records.filter((record) => record.tool === name);
  const [latest] = own;
  const heading = title ?? annotations?.title ?? name;
  const isRunning = latest?.outcome.kind === 'running';
  return (
    <article class="stack">
      <header>
        <h3>
          <Name text={heading} />
        </h3>
        <p class="subtitle">
          {heading === name ? null : (
            <code>
              <Name text={name} />
            </code>
          )}{' '}
          <Hints tool={tool} />
        </p>
        {description === undefined ? null : <LongText text={description} />}
      </header>
      <SchemaForm
        schema={inputSchema as Schema}
        validator={inspection.validator}
        initial={initial}
        action="Call"
        isBusy={isRunning}
        submit={(value) => void calls.run(name, value as Readonly<Record<string, unknown>>)}
      >
        {isRunning ? (
          <button type="button" onClick={() => calls.cancel(latest.id)}>
            Cancel
          </button>
        ) : null}
      </SchemaForm>
      {latest === undefined ? null : (
        <Outcome record={latest} progress={progress.get(latest.id)} openResource={openResource} />
      )}
      {latest?.outcome.kind !== 'done' ? null : (
        <Comparison record={latest} result={latest.outcome.result} earlier={calls.earlierOf(latest)} />
      )}
      <History records={records} {...{ again, edit }} clear={() => calls.clear()} />
      <Disclosure title="Schemas and metadata">
        <Json value={inputSchema} label="Input schema" />
        {outputSchema === undefined ? null : <Json value={outputSchema} label="Output schema" />}
        {_meta === undefined ? null : <Json value={_meta} label="Metadata" />}
      </Disclosure>
    </article>
  );
}

function Hints({ tool: { annotations } }: { readonly tool: Tool }) {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations ?? {};
  return (
    <span class="chips">
      {readOnlyHint === true ? <Chip tone="good">read-only</Chip> : null}
      {readOnlyHint !== true && destructiveHint === true ? <Chip tone="bad">destructive</Chip> : null}
      {destructiveHint === false ? <Chip>not destructive</Chip> : null}
      {idempotentHint === true ? <Chip>idempotent</Chip> : null}
      {openWorldHint === true ? <Chip>open world</Chip> : null}
    </span>
  );
}

interface OutcomeProps {
  readonly record: ToolCallRecord;
  readonly progress: Progress | undefined;
  readonly openResource: (uri: string) => void;
}

function Outcome({ record, progress, openResource }: OutcomeProps) {
  const { outcome } = record;
  if (outcome.kind === 'past') return null;
  return (
    <section class="card outcome" aria-label="Result">
      <div class="card-head">
        <h4>Result</h4>
        <Chip tone={toneOf(outcome)}>{outcomeInWords(outcome)}</Chip>
      </div>
      {outcome.kind === 'running' ? <ProgressBar progress={progress} /> : null}
      {outcome.kind === 'failed' ? <FailureBox failure={outcome.failure} /> : null}
      {outcome.kind === 'cancelled' ? <p>The server was asked to stop.</p> : null}
      {outcome.kind === 'done' ? <Result result={outcome.result} openResource={openResource} /> : null}
    </section>
  );
}

function toneOf(outcome: ToolCallRecord['outcome']): 'neutral' | 'good' | 'bad' | 'accent' {
  if (outcome.kind === 'running') return 'accent';
  if (outcome.kind === 'failed') return 'bad';
  if (outcome.kind !== 'done') return 'neutral';
  return outcome.result.isError ? 'bad' : 'good';
}

function ProgressBar({ progress }: { readonly progress: Progress | undefined }) {
  const { progress: value, total, message } = progress ?? {};
  const words =
    value === undefined ? 'Waiting for the server' : total === undefined ? String(value) : `${value} of ${total}`;
  return (
    <div class="progress">
      <progress aria-label="Progress" {...(value !== undefined && total !== undefined && { value, max: total })} />
      <p>
        {words}
        {message === undefined ? '' : ` · ${visible(message).slice(0, 500)}`}
      </p>
    </div>
  );
}

function Result({
  result,
  openResource,
}: {
  readonly result: CallToolResult;
  readonly openResource: (uri: string) => void;
}) {
  const { content, structuredContent, isError } = result;
  const others =
    structuredContent === undefined ? content : content.filter((block) => !isJsonOf(block, structuredContent));
  return (
    <div class={isError ? 'stack failed' : 'stack'}>
      {isError ? <p class="failed-word">The tool says that it failed.</p> : null}
      {content.length === 0 && structuredContent === undefined ? <p class="hint">The result is empty.</p> : null}
      {others.length === 0 ? null : <Content blocks={others} openResource={openResource} />}
      {structuredContent === undefined ? null : <Json value={structuredContent} label="Structured content" />}
      <Disclosure title="Result as JSON">
        <Json value={result} label="Result" />
      </Disclosure>
    </div>
  );
}

interface ComparisonProps {
  readonly record: ToolCallRecord;
  readonly result: CallToolResult;
  readonly earlier: { readonly result: CallToolResult; readonly time: number } | undefined;
}

/** What is new since the same call was last made. */
function Comparison({ record, result, earlier }: ComparisonProps) {
  if (earlier === undefined) return null;
  const [oldText, newText] = [`${prettyJson(earlier.result)}\n`, `${prettyJson(result)}\n`];
  const since = timeInWords(earlier.time);
  if (oldText === newText) return <p class="hint">The result is the same as at {since}.</p>;
  return (
    <section class="card" aria-label="What has changed">
      <h4>Changed since {since}</h4>
      <TextDiff key={record.id} name={`the result of ${record.tool}`} {...{ oldText, newText }} about="" />
    </section>
  );
}

/** Most servers repeat structured content as a text, for older clients. */
function isJsonOf(block: CallToolResult['content'][number], value: unknown): boolean {
  if (block.type !== 'text') return false;
  try {
    return JSON.stringify(JSON.parse(block.text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

interface HistoryProps {
  readonly records: readonly ToolCallRecord[];
  readonly again: (record: ToolCallRecord) => void;
  readonly edit: (name: string, value: unknown) => void;
  readonly clear: () => void;
}

function History({ records, again, edit, clear }: HistoryProps) {
  if (records.length === 0) return null;
  return (
    <section aria-label="Calls so far">
      <div class="card-head">
        <h4>Calls so far</h4>
        <button type="button" class="link" onClick={clear}>
          Clear
        </button>
      </div>
      <ul class="plain history">
        {records.map((record) => {
          const { id, tool, arguments: args, time, outcome } = record;
          const label = `${tool} at ${timeInWords(time)}`;
          return (
            <li key={id}>
              <div>
                <p class="history-head">
                  <code>
                    <Name text={tool} />
                  </code>{' '}
                  <span class="hint">
                    {timeInWords(time)} · {outcomeInWords(outcome)}
                  </span>
                </p>
                <p class="hint clip">{visible(JSON.stringify(args)).slice(0, 300)}</p>
              </div>
              <div class="actions">
                <button type="button" class="link" onClick={() => edit(tool, args)} aria-label={`Edit ${label}`}>
                  Edit
                </button>
                <button
                  type="button"
                  class="link"
                  onClick={() => again(record)}
                  disabled={outcome.kind === 'running'}
                  aria-label={`Call again: ${label}`}
                >
                  Again
                </button>
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
