import type { Severity } from '@hawser/check/check';
import type { Report } from '@hawser/check/reports/report';
import type { Result } from '@hawser/check/run-checks';
import { useStore } from '@hawser/page-parts/store';
import { visible } from '@hawser/page-parts/visible-text';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { CheckFacts } from '../../calls.ts';
import type { CallFailed } from '../channel.ts';
import { Chip, FailureBox, Nothing } from '../parts/basics.tsx';
import { saveFile } from '../parts/content.tsx';
import { CopyButton, Name } from '../parts/text.tsx';
import type { ViewProps } from './view.ts';

type Run =
  | { readonly kind: 'none' }
  | { readonly kind: 'running'; readonly results: readonly Result[]; readonly count: number }
  | { readonly kind: 'stopped'; readonly results: readonly Result[]; readonly count: number }
  | { readonly kind: 'done'; readonly report: Report }
  | { readonly kind: 'failed'; readonly failure: CallFailed };

type Shown = 'failed' | 'skipped' | 'passed';

/** Runs `hawser check` on the server, and shows its report. */
export function CheckView({ inspection, isActive }: ViewProps) {
  const server = useStore(inspection.server);
  const [checks, setChecks] = useState<readonly CheckFacts[]>([]);
  const [callsTools, setCallsTools] = useState(false);
  const [run, setRun] = useState<Run>({ kind: 'none' });
  const controller = useRef<AbortController | undefined>(undefined);
  useEffect(() => {
    if (!isActive || checks.length > 0) return;
    inspection.call('checks/list', {}).then(
      (answer) => setChecks(answer.checks),
      () => {},
    );
  }, [isActive]);

  const start = async () => {
    const abort = new AbortController();
    controller.current = abort;
    let results: readonly Result[] = [];
    setRun({ kind: 'running', results, count: checks.length });
    const stopListening = inspection.onCheckProgress(({ result, count }) => {
      results = [...results, result];
      setRun({ kind: 'running', results, count });
    });
    try {
      const report = await inspection.call('checks/run', { tools: callsTools ? 'call' : 'leave' }, abort.signal);
      setRun({ kind: 'done', report });
      const { passed, failed, skipped } = report.summary;
      inspection.announce(`The check is done: ${passed} passed, ${failed} failed, ${skipped} skipped.`);
    } catch (error) {
      if (abort.signal.aborted) setRun({ kind: 'stopped', results, count: checks.length });
      else setRun({ kind: 'failed', failure: error as CallFailed });
    } finally {
      stopListening();
    }
  };
  const calling = checks.filter((check) => check.callsTools);
  const isRunning = run.kind === 'running';
  return (
    <div class="scroll stack">
      <section class="card stack">
        <p>
          Checks whether the server follows the protocol: {checks.length > 0 ? `${checks.length} rules` : 'all rules'},
          each with its place in the specification. The server is started or connected to many times and gets broken
          messages, so don't check a server that others use.
        </p>
        <label class="switch">
          <input
            type="checkbox"
            checked={callsTools}
            disabled={isRunning}
            onChange={(event) => setCallsTools(event.currentTarget.checked)}
          />
          <span>
            Also run the checks that call tools ({calling.length}). They call tools with wrong, missing or no arguments.
          </span>
        </label>
        <div class="actions">
          <button type="button" class="primary" onClick={start} disabled={isRunning || server.kind !== 'connected'}>
            Run the check
          </button>
          {isRunning ? (
            <button type="button" onClick={() => controller.current?.abort()}>
              Stop
            </button>
          ) : null}
          {server.kind === 'connected' ? null : <span class="hint">Connect to a server first.</span>}
        </div>
        {isRunning ? <Running results={run.results} count={run.count} /> : null}
        {run.kind === 'stopped' ? (
          <p>
            Stopped after {run.results.length} of {run.count} checks.
          </p>
        ) : null}
      </section>
      {run.kind === 'failed' ? <FailureBox failure={run.failure} /> : null}
      {run.kind === 'done' ? <ReportCard report={run.report} /> : null}
      {run.kind === 'running' || run.kind === 'stopped' ? <Results results={run.results.filter(isFailure)} /> : null}
    </div>
  );
}

function Running({ results, count }: { readonly results: readonly Result[]; readonly count: number }) {
  return (
    <div class="progress">
      <progress aria-label="Checks done" value={results.length} max={count || 1} />
      <p>
        {results.length} of {count} · <code>{results.at(-1)?.id ?? 'connecting'}</code>
      </p>
    </div>
  );
}

function isFailure({ status }: Result): boolean {
  return status === 'failed';
}

function ReportCard({ report }: { readonly report: Report }) {
  const { summary, results, server, protocolVersion, target } = report;
  const [shown, setShown] = useState<Shown>(summary.failed > 0 ? 'failed' : 'passed');
  const save = () =>
    saveFile(new Blob([`${JSON.stringify(report, undefined, 2)}\n`], { type: 'application/json' }), 'mcp-check.json');
  return (
    <section class="stack" aria-label="Report">
      <div class="card-head">
        <div>
          <h3>
            <Name text={`${server.name ?? 'unnamed'} ${server.version ?? ''}`} />
          </h3>
          <p class="hint">
            revision {visible(protocolVersion)} · <Name text={target} />
          </p>
        </div>
        <button type="button" onClick={save}>
          Download JSON
        </button>
      </div>
      <fieldset class="segments">
        <legend class="sr-only">Results to show</legend>
        {(['failed', 'skipped', 'passed'] as const).map((status) => (
          <button key={status} type="button" aria-pressed={shown === status} onClick={() => setShown(status)}>
            {summary[status]} {status}
          </button>
        ))}
      </fieldset>
      <Results results={results.filter(({ status }) => status === shown)} />
    </section>
  );
}

const WORST_FIRST: readonly Severity[] = ['error', 'warning', 'info'];
const TONES = { error: 'bad', warning: 'warning', info: 'neutral' } as const;

function Results({ results }: { readonly results: readonly Result[] }) {
  if (results.length === 0) return <Nothing>None.</Nothing>;
  // What the author of the server can mend comes first.
  const sorted = WORST_FIRST.flatMap((severity) => results.filter((result) => result.severity === severity)).sort(
    (one, other) => Number(one.sdk !== undefined) - Number(other.sdk !== undefined),
  );
  return (
    <ul class="plain results">
      {sorted.map((result) => (
        <ResultItem key={result.id} result={result} />
      ))}
    </ul>
  );
}

function ResultItem({ result }: { readonly result: Result }) {
  const { id, title, status, severity, spec, url, seen, expected, reproduce, reason, sdk } = result;
  return (
    <li class="card result">
      <div class="result-head">
        <Chip tone={status === 'failed' ? TONES[severity] : 'neutral'}>{severity}</Chip> <strong>{title}</strong>{' '}
        <code>{id}</code> {sdk === undefined ? null : <Chip tone="neutral">from {sdk}</Chip>}
      </div>
      {status === 'passed' ? null : (
        <dl class="facts">
          <dt>Specification</dt>
          <dd>
            {url === undefined ? (
              spec
            ) : (
              <a href={url} target="_blank" rel="noopener noreferrer">
                {spec}
              </a>
            )}
          </dd>
          {seen === undefined ? null : (
            <>
              <dt>Seen</dt>
              <dd class="prose">
                <bdi>{visible(seen)}</bdi>
              </dd>
            </>
          )}
          {expected === undefined ? null : (
            <>
              <dt>Expected</dt>
              <dd>{visible(expected)}</dd>
            </>
          )}
          {reason === undefined ? null : (
            <>
              <dt>Why not</dt>
              <dd>{visible(reason).replace('allow that with --call', 'allow that above')}</dd>
            </>
          )}
          {reproduce === undefined ? null : (
            <>
              <dt>Reproduce</dt>
              <dd class="reproduce">
                <code>{visible(reproduce)}</code>
                <CopyButton text={reproduce} what={`command that shows ${id}`} />
              </dd>
            </>
          )}
        </dl>
      )}
    </li>
  );
}
