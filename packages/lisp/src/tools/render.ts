import type { Finding, LispError, Outcome, Timing } from '../evaluator.ts';
import type { Answer } from '../session.ts';
import { bounded, boundedList, visible, wellFormed } from './texts.ts';

/** How an answer is shown. */
export interface View {
  /** Whether the values of code are what was asked for, so that their absence is worth a line. */
  readonly values: 'wanted' | 'incidental';
  readonly time: 'shown' | 'hidden';
  /** What to say when nothing was found. */
  readonly nothing?: string;
  /** What may help with the error, from elsewhere than the Lisp. */
  readonly hint?: string;
}

const MAX_VALUES = 50;
const MAX_WARNINGS = 50;
const MAX_FINDINGS = 1000;
const MAX_MESSAGE = 20_000;

/** An answer as text, its sections in a fixed order. */
export function renderText({ session, outcome, notes }: Answer, view: View): string {
  const lines = [...notes.map((note) => `; ${note}`)];
  section(lines, '[stdout]', outcome.stdout);
  section(lines, '[stderr]', outcome.stderr);
  const warnings = boundedList(outcome.warnings, MAX_WARNINGS);
  section(lines, '[warnings]', [...warnings.shown, ...more(warnings.left, 'warnings')].join('\n'));
  if (outcome.findings !== undefined) lines.push(...findingLines(outcome.findings, view));
  lines.push(...valueLines(outcome, view));
  if (outcome.error !== undefined) lines.push(...errorLines(outcome.error));
  if (view.hint !== undefined) lines.push(`; Hint: ${view.hint}`);
  lines.push(...endingLines(session, outcome));
  if (view.time === 'shown') lines.push(timeLine(outcome.timing));
  return visible(lines.join('\n'));
}

function section(lines: string[], title: string, text: string): void {
  if (text !== '') lines.push(title, text.replace(/\n$/, ''));
}

function more(count: number, what: string): string[] {
  return count === 0 ? [] : [`; … and ${count} more ${what}`];
}

function valueLines({ ok, values, findings }: Outcome, view: View): string[] {
  if (values.length === 0) {
    if (!ok || findings !== undefined) return [];
    return [view.values === 'wanted' ? '; No values' : '; Done'];
  }
  const { shown, left } = boundedList(values, MAX_VALUES);
  return [...shown.map((value) => `=> ${value}`), ...more(left, 'values')];
}

function findingLines(findings: readonly Finding[], { nothing = 'Nothing found' }: View): string[] {
  if (findings.length === 0) return [`; ${nothing}`];
  const { shown, left } = boundedList(findings, MAX_FINDINGS);
  const line = ({ kind, name, detail }: Finding) =>
    detail === undefined || detail === ''
      ? `${kind} ${name}`
      : `${kind} ${name} — ${detail.replace(/\n(?=.)/g, '\n    ')}`;
  const lines = shown.map((finding) => (finding.kind === 'more' ? `; … ${finding.name}` : line(finding)));
  return [...lines, ...more(left, 'of them')];
}

const DURING = {
  read: ', while reading',
  compile: ', while compiling',
  print: ', while printing',
  load: ', while loading',
};

function errorLines({ type, message, phase, form, line, column, restarts, frames }: LispError): string[] {
  const lines = [`[ERROR] ${type}`];
  if (message !== '') lines.push(bounded(message, MAX_MESSAGE));
  const places = [form && `form ${form}`, line && `line ${line}`, column !== undefined && `column ${column}`];
  const place = places.filter((part) => part !== undefined && part !== false && part !== 0).join(', ');
  const during = phase === 'evaluate' ? '' : DURING[phase];
  if (place !== '') lines.push(`; ${place}${during}`);
  else if (during !== '') lines.push(`; ${during.slice(2)}`);
  if (restarts.length > 0) lines.push('[Restarts]');
  lines.push(...restarts.map(({ name, description }, index) => ` ${index}: [${name}] ${description}`));
  if (frames.length > 0) lines.push('[Backtrace]');
  lines.push(...frames.map((frame, index) => ` ${index}: ${bounded(frame, 2000)}`));
  return lines;
}

function endingLines(session: string, { interrupted, lost, debugging }: Outcome): string[] {
  const lines: string[] = [];
  const livesOn = lost === undefined ? ` and was interrupted. Session ${session} lives on.` : '.';
  if (interrupted === 'timeout') lines.push(`[TIMEOUT] The code took longer than its timeout${livesOn}`);
  if (interrupted === 'request') lines.push(`[INTERRUPTED] The code was asked to stop${livesOn}`);
  if (lost !== undefined) {
    lines.push(
      `[SESSION LOST] ${lost.message}`,
      `; Nothing session ${session} knew is left; the next call starts a fresh Lisp.`,
    );
  }
  if (debugging) {
    lines.push(
      `; An error is open in session ${session}: use the debugger tool to choose a restart, to look, or to abort.`,
    );
  }
  return lines;
}

function timeLine({ realMs, runMs, bytesConsed }: Timing): string {
  const consed = bytesConsed === undefined ? '' : `, ${bytesConsed} bytes consed`;
  return `; ${milliseconds(realMs)} ms real time, ${milliseconds(runMs)} ms run time${consed}`;
}

function milliseconds(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

/** An answer for programs. */
export function structured({ session, engine, outcome, notes }: Answer, { hint }: View): { [key: string]: unknown } {
  const { lost, findings, values, warnings, ...rest } = outcome;
  return cleaned({
    session,
    engine,
    ...rest,
    values: values.slice(0, MAX_VALUES),
    warnings: warnings.slice(0, MAX_WARNINGS),
    ...(findings !== undefined && { findings: findings.slice(0, MAX_FINDINGS) }),
    ...(lost !== undefined && { sessionLost: lost }),
    ...(notes.length > 0 && { notes }),
    ...(hint !== undefined && { hint }),
  }) as { [key: string]: unknown };
}

/** The same with every text well-formed, and without what is undefined. */
function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries.map(([key, member]) => [key, cleaned(member)]));
}
