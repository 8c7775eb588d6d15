import type { Answer } from '../call-queue.ts';
import type { Finding, LispError, Outcome, Place, Timing, TracedCall } from '../evaluator.ts';
import { resourceOf } from '../resources/uris.ts';
import { visible } from './texts.ts';

/** How an answer is shown. */
export interface View {
  /** Whether the values of code are the result, so that a line says when there are none. */
  readonly values: 'wanted' | 'incidental';
  readonly time: 'shown' | 'hidden';
  /** `hidden` output is only in the resource of the session; of `ending` output the last characters are shown, too. */
  readonly output: 'shown' | 'ending' | 'hidden';
  /** A call that can't be repeated with an offset shows its first findings; the others are in the resource of the session. */
  readonly rest?: 'resource';
  /** What to say when nothing was found. */
  readonly nothing?: string;
  /** Advice that does not come from the Lisp. */
  readonly hint?: string | undefined;
}

/** Which findings were asked for. */
export interface Page {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

export const PLAIN: View = { values: 'incidental', time: 'hidden', output: 'shown' };

const MAX_SHOWN_WARNINGS = 50;
const MAX_SHOWN_FINDINGS = 100;
/** How many findings a worker sends unless a limit is given. */
const DEFAULT_FINDINGS = 100;
const MAX_STRUCTURED_OUTPUT = 20_000;
const MAX_ENDING = 2000;
const DEFAULT_PACKAGE = 'COMMON-LISP-USER';

/** An answer as text, its sections in a fixed order. */
export function renderText(answer: Answer, view: View, page: Page = {}): string {
  const { session, outcome, notes } = answer;
  const first = notes.map((note) => `; ${note}`);
  const output = view.output === 'hidden' ? [] : outputLines(outcome, view.output);
  const lines = warningLines(session, outcome);
  if (outcome.calls !== undefined) lines.push('[trace]', ...callLines(outcome.calls, outcome.callCount));
  if (outcome.findings !== undefined) lines.push(...findingLines(answer, view, page));
  lines.push(...testLines(outcome));
  lines.push(...valueLines(outcome, view));
  if (outcome.error !== undefined) lines.push(...errorLines(outcome.error));
  const hint = view.hint ?? outcome.error?.advice;
  if (hint !== undefined) lines.push(`; Hint: ${hint}`);
  lines.push(...endingLines(answer));
  if (view.output !== 'shown') lines.push(...hiddenOutputLines(session, outcome));
  if (outcome.package !== DEFAULT_PACKAGE) lines.push(`; Package: ${outcome.package}`);
  if (view.time === 'shown') lines.push(timeLine(outcome.timing));
  return [...first, ...output, ...lines].map(visible).join('\n');
}

/** Everything a call wrote, every warning, and findings if they are more than an answer shows. */
export function wholeOutput({ stdout, stderr, warnings, warningCount, findings = [], total }: Outcome): string {
  const lines: string[] = [];
  section(lines, '[stdout]', stdout);
  section(lines, '[stderr]', stderr);
  section(lines, '[warnings]', warnings.join('\n'));
  if (warningCount !== undefined)
    lines.push(`; ${warnings.length} of ${warningCount} warnings; the others were not kept`);
  if (findings.length > MAX_SHOWN_FINDINGS) {
    lines.push('[findings]', ...findings.map(findingLine));
    if (total !== undefined && total > findings.length)
      lines.push(`; ${findings.length} of ${total} findings; the others were not kept`);
  }
  return lines.join('\n');
}

function outputLines({ stdout, stderr }: Outcome, part: 'shown' | 'ending'): string[] {
  const lines: string[] = [];
  section(lines, '[stdout]', part === 'shown' ? stdout : endOf(stdout));
  section(lines, '[stderr]', part === 'shown' ? stderr : endOf(stderr));
  return lines;
}

function endOf(text: string): string {
  return text.length <= MAX_ENDING ? text : `…${text.slice(-MAX_ENDING).replace(/^[\udc00-\udfff]/, '')}`;
}

function section(lines: string[], title: string, text: string): void {
  if (text !== '') lines.push(title, text.replace(/\n$/, ''));
}

function hiddenOutputLines(session: string, { ok, stdout, stderr, tests }: Outcome): string[] {
  const length = stdout.length + stderr.length;
  if (length === 0) return [];
  // What was loaded would not be compiled again.
  const again = ok && tests === undefined ? '' : ', or call with output "full"';
  return [`; ${length} characters of output: read ${resourceOf(session, 'output')}${again}`];
}

function warningLines(session: string, outcome: Outcome): string[] {
  const { warnings } = outcome;
  if (warnings.length === 0) return [];
  const cut = warningCut(session, outcome);
  return ['[warnings]', ...warnings.slice(0, MAX_SHOWN_WARNINGS), ...(cut === undefined ? [] : [`; ${cut}`])];
}

/** Where the warnings are that are not shown, if any. */
function warningCut(session: string, { warnings, warningCount = warnings.length }: Outcome): string | undefined {
  const shown = Math.min(warnings.length, MAX_SHOWN_WARNINGS);
  if (shown === warningCount) return undefined;
  return `${shown} of ${warningCount} warnings. Read more in ${resourceOf(session, 'output')}`;
}

function callLines(calls: readonly TracedCall[], count = calls.length): string[] {
  const lines = calls.map(({ depth, kind, text }) => {
    const indent = '  '.repeat(Math.min(depth, 20));
    return `${indent}${depth}: ${kind === 'call' ? text : kind === 'return' ? `=> ${text}` : `left ${text}`}`;
  });
  const cut = `; ${calls.length} of ${count} events. Trace fewer functions, or a smaller case, to see the rest.`;
  return calls.length === count ? lines : [...lines, cut];
}

function testLines({ tests, error, stdout, stderr }: Outcome): string[] {
  if (tests === undefined) return [];
  const { library, passed, failed, skipped } = tests;
  if (library !== undefined && passed + failed + skipped === 0) {
    return [`; No test ran (${library}). Does test-op name the right suite, and load its tests?`];
  }
  if (library !== undefined) return [`; ${passed} passed, ${failed} failed, ${skipped} skipped (${library})`];
  if (error !== undefined) return [];
  return stdout + stderr === ''
    ? ['; No test ran. Does the .asd file define a test-op for the system?']
    : ['; No results of FiveAM, Parachute or Rove were found. Read the output.'];
}

function valueLines({ ok, values, findings }: Outcome, view: View): string[] {
  if (values.length > 0) return values.map((value) => `=> ${value}`);
  if (!ok || findings !== undefined) return [];
  return [view.values === 'wanted' ? '; No values' : '; Done'];
}

function findingLines(
  { session, outcome }: Answer,
  { nothing = 'Nothing found', rest: restIn }: View,
  { offset = 0, limit = DEFAULT_FINDINGS }: Page,
): string[] {
  const { ok, findings = [], total, tests } = outcome;
  if (findings.length === 0) return ok && tests === undefined ? [`; ${nothing}`] : [];
  if (restIn === 'resource') {
    const shown = findings.slice(0, MAX_SHOWN_FINDINGS);
    const all = total ?? findings.length;
    const cut = `; ${shown.length} of ${all}. Read more in ${resourceOf(session, 'output')}`;
    return [...shown.map(findingLine), ...(shown.length < all ? [cut] : [])];
  }
  const end = offset + findings.length;
  const isCut = total === undefined ? findings.length >= limit : end < total;
  const rest = `; ${offset + 1} to ${end} of ${total ?? 'more'}. Continue with offset ${end}.`;
  return [...findings.map(findingLine), ...(isCut ? [rest] : [])];
}

const DIAGNOSTICS = new Set(['error', 'warning', 'style-warning', 'note']);

function findingLine({ kind, name, detail, place, part }: Finding): string {
  const where = place === undefined ? '' : placeText(place);
  if (DIAGNOSTICS.has(kind)) return `${where === '' ? '' : `${where}: `}${kind}: ${indented(name)}`;
  const number = part === undefined ? '' : `${part}: `;
  const what = `${number}${kind} ${name}${detail === undefined || detail === '' ? '' : ` — ${indented(detail)}`}`;
  return where === '' ? what : `${what} (${where})`;
}

function indented(text: string): string {
  return text.replace(/\n(?=.)/g, '\n    ');
}

/** `/path/file.lisp:3:0`, or `call 7, form 2, line 3` for code that was only evaluated. */
function placeText({ file, call, form, line, column }: Place): string {
  if (file !== undefined) return [file, line, column].filter((part) => part !== undefined).join(':');
  const parts = [
    call !== undefined && `call ${call}`,
    call !== undefined && form !== undefined && `form ${form}`,
    line !== undefined && `line ${line}`,
    call === undefined && column !== undefined && `column ${column}`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}

const DURING = {
  read: ', while reading',
  compile: ', while compiling',
  print: ', while printing',
  load: ', while loading',
  evaluate: '',
};

function errorLines(error: LispError): string[] {
  const { type, message, phase, file, form, line, column, restarts, frames, frameCount } = error;
  // The server itself refuses with a plain ERROR.
  const lines = type === 'ERROR' ? [`[ERROR] ${message}`] : [`[ERROR] ${type}`, ...(message === '' ? [] : [message])];
  const places = [
    file !== undefined && [file, line, column].filter((part) => part !== undefined).join(':'),
    form !== undefined && `form ${form}`,
    file === undefined && line !== undefined && `line ${line}`,
    file === undefined && column !== undefined && `column ${column}`,
  ];
  const place = `${places.filter((part) => part !== false).join(', ')}${DURING[phase]}`.replace(/^, /, '');
  if (place !== '') lines.push(`; ${place}`);
  if (restarts.length > 0) lines.push('[Restarts]');
  lines.push(
    ...restarts.map(({ name, description }, index) => ` ${index}: ${name === '' ? '' : `[${name}] `}${description}`),
  );
  if (frames.length > 0) lines.push('[Backtrace]');
  lines.push(...frames.map((frame, index) => ` ${index}: ${frame}`));
  if (frameCount !== undefined) {
    const more = restarts.length > 0 ? '' : ' Evaluate with on-error "break" to see more.';
    lines.push(`; ${frames.length} of ${frameCount} frames.${more}`);
  }
  return lines;
}

function endingLines({ session, keepsDefinitions, outcome }: Answer): string[] {
  const { interrupted, lost, debugging, error } = outcome;
  const lines: string[] = [];
  const kept = lost === undefined ? ` Session ${session} keeps its state.` : '';
  const advice = lost === undefined ? ' Look for an endless loop, or give a longer timeout.' : '';
  if (interrupted === 'timeout') lines.push(`[TIMEOUT] The code ran longer than its timeout.${kept}${advice}`);
  if (interrupted === 'request') lines.push(`[INTERRUPTED] The code was interrupted by request.${kept}`);
  if (lost !== undefined) {
    const after = keepsDefinitions
      ? `The next call in session ${session} connects again. The image keeps its definitions.`
      : `All definitions of session ${session} are gone. The next call starts a fresh Lisp.`;
    lines.push(`[SESSION LOST] ${lost.message}`, `; ${after}`);
  }
  if (debugging) {
    // Only an error that is open has restarts.
    const isEarlier = error !== undefined && error.restarts.length === 0;
    const open = isEarlier ? 'The error that was open before is still open' : 'An error is open';
    lines.push(`; ${open} in session ${session}. Call debugger to choose a restart, to look, or to abort.`);
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

/** An answer for programs. Members that are undefined are left out, and long output is only in the text. */
export function structured({ session, engine, outcome, notes }: Answer, view: View): { [key: string]: unknown } {
  const { ok, call, values, stdout, stderr, warnings, lost, error, timing } = outcome;
  const members: { [key: string]: unknown } = { ok, session, engine, package: outcome.package, call, values };
  if (view.output === 'shown') {
    members.stdout = shortened(stdout);
    members.stderr = shortened(stderr);
  }
  members.warnings = warnings.length > MAX_SHOWN_WARNINGS ? warnings.slice(0, MAX_SHOWN_WARNINGS) : warnings;
  const warningCount = outcome.warningCount ?? warnings.length;
  if (warningCount > MAX_SHOWN_WARNINGS) members.warningCount = warningCount;
  if (outcome.findings !== undefined)
    members.findings = view.rest === 'resource' ? outcome.findings.slice(0, MAX_SHOWN_FINDINGS) : outcome.findings;
  if (outcome.total !== undefined) members.total = outcome.total;
  if (outcome.calls !== undefined) members.calls = outcome.calls;
  if (outcome.callCount !== undefined) members.callCount = outcome.callCount;
  if (outcome.tests !== undefined) members.tests = outcome.tests;
  if (error !== undefined) members.error = error;
  if (outcome.debugging !== undefined) members.debugging = outcome.debugging;
  if (outcome.interrupted !== undefined) members.interrupted = outcome.interrupted;
  if (lost !== undefined) members.sessionLost = lost;
  const cut = warningCut(session, outcome);
  if (notes.length > 0 || cut !== undefined) members.notes = cut === undefined ? notes : [...notes, cut];
  const hint = view.hint ?? error?.advice;
  if (hint !== undefined) members.hint = hint;
  members.timing = timing;
  return members;
}

/** Long output would travel twice, and a model would pay for it twice. */
function shortened(output: string): string {
  if (output.length <= MAX_STRUCTURED_OUTPUT) return output;
  const shown = output.slice(0, MAX_STRUCTURED_OUTPUT).replace(/[\ud800-\udbff]$/, '');
  return `${shown}…\n(${shown.length} of ${output.length} characters; the text of the result has all)`;
}
