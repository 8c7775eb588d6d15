import { visible } from '@hawser/page-parts/visible-text';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Problem } from '../../calls.ts';
import type { CallFailed } from '../channel.ts';
import { Json } from './text.tsx';

type Tone = 'neutral' | 'good' | 'warning' | 'bad' | 'accent';

export function Chip({ tone = 'neutral', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  return <span class={`chip chip-${tone}`}>{children}</span>;
}

/** What went wrong, and what to do. */
export function ProblemBox({ problem }: { readonly problem: Problem }) {
  return (
    <div class="problem" role="alert">
      <p class="problem-message">{visible(problem.message).slice(0, 4000)}</p>
      {problem.advice === undefined ? null : <p>{visible(problem.advice)}</p>}
    </div>
  );
}

/** A call that failed; with what the server answered, if it answered. */
export function FailureBox({ failure }: { readonly failure: CallFailed }) {
  const { message, advice, serverError } = failure;
  const words = serverError === undefined ? message : `The server answered with error ${serverError.code}: ${message}`;
  return (
    <div class="problem" role="alert">
      <p class="problem-message">{visible(words).slice(0, 4000)}</p>
      {advice === undefined ? null : <p>{advice}</p>}
      {serverError?.data === undefined ? null : <Json value={serverError.data} label="Data of the error" />}
    </div>
  );
}

/** A view that has nothing to show. */
export function Nothing({ children }: { readonly children: ComponentChildren }) {
  return <p class="nothing">{children}</p>;
}

/** What it holds is drawn when it is first opened. */
export function Disclosure({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  const [isDrawn, setDrawn] = useState(false);
  return (
    <details class="disclosure" onToggle={() => setDrawn(true)}>
      <summary>{title}</summary>
      {isDrawn ? children : null}
    </details>
  );
}
