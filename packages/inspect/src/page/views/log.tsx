import type { LogLevel } from '@hawser/mcp';
import { useStore } from '@hawser/page-parts/store';
import { prettyJson, timeInWords, visible } from '@hawser/page-parts/visible-text';
import { useState } from 'preact/hooks';
import { LOG_LEVELS } from '../../calls.ts';
import { Chip, Nothing, ProblemBox } from '../parts/basics.tsx';
import type { ViewProps } from './view.ts';

const MAX_SHOWN_CHARS = 5000;

/** The log messages of the server, and what it writes to stderr. */
export function LogView({ inspection, isActive }: ViewProps) {
  const hello = useStore(inspection.hello);
  const server = useStore(inspection.server);
  const lines = useStore(inspection.log, isActive);
  const { messages } = useStore(inspection.traffic, isActive);
  const [level, setLevel] = useState<LogLevel | ''>(hello?.logLevel ?? '');
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const canSet = server.kind === 'connected' && server.server.capabilities.logging !== undefined;
  const choose = async (next: LogLevel) => {
    setProblem(undefined);
    try {
      await inspection.call('log-level/set', { level: next });
      setLevel(next);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const stderr = messages.filter(({ kind }) => kind === 'stderr');
  return (
    <div class="scroll stack">
      <div class="actions">
        <label class="inline">
          <span>Least severe message</span>
          <select value={level} disabled={!canSet} onChange={(event) => choose(event.currentTarget.value as LogLevel)}>
            {level === '' ? <option value="">as the server likes</option> : null}
            {LOG_LEVELS.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={() => inspection.clearLog()} disabled={lines.length === 0}>
          Clear
        </button>
        {canSet || server.kind !== 'connected' ? null : <span class="hint">This server offers no log messages.</span>}
      </div>
      {problem === undefined ? null : <ProblemBox problem={{ message: problem }} />}
      <section class="card">
        <h3>Log messages</h3>
        {lines.length === 0 ? <Nothing>None yet.</Nothing> : null}
        <ol class="plain log">
          {lines.map(({ key, time, message: { level: severity, logger, data } }) => (
            <li key={key}>
              <span class="time">{timeInWords(time)}</span> <Chip tone={toneOf(severity)}>{String(severity)}</Chip>{' '}
              {logger === undefined ? null : <span class="hint">{visible(String(logger)).slice(0, 100)}</span>}{' '}
              <span class="log-text">{textOf(data)}</span>
            </li>
          ))}
        </ol>
      </section>
      <section class="card">
        <h3>stderr</h3>
        {stderr.length === 0 ? <Nothing>The server has written nothing to stderr, or has none.</Nothing> : null}
        <ol class="plain log">
          {stderr.map(({ number, time, text }) => (
            <li key={number}>
              <span class="time">{timeInWords(time)}</span>{' '}
              <span class="log-text">{visible(text).slice(0, MAX_SHOWN_CHARS)}</span>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}

function textOf(data: unknown): string {
  return (typeof data === 'string' ? visible(data) : prettyJson(data)).slice(0, MAX_SHOWN_CHARS);
}

function toneOf(level: unknown): 'neutral' | 'warning' | 'bad' {
  if (level === 'warning') return 'warning';
  return ['error', 'critical', 'alert', 'emergency'].includes(String(level)) ? 'bad' : 'neutral';
}
