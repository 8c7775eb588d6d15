import { DiffLines } from '@hawser/diffs/diff-lines';
import { hunksOf } from '@hawser/diffs/hunks';
import { Items } from '@hawser/diffs/items';
import { DiffView } from '@hawser/page-parts/diff/diff-view';
import { useStore } from '@hawser/page-parts/store';
import { visible } from '@hawser/page-parts/visible-text';
import { useEffect, useState } from 'preact/hooks';
import type { LoggedDecision } from '../../../../../control/calls.ts';
import type { SessionProps } from '../app.tsx';

/** What was decided, the newest first. */
export function LogView({ session }: SessionProps) {
  const log = useStore(session.log);
  const [open, setOpen] = useState<string | undefined>(undefined);
  return (
    <div class="view scroller stack">
      <h2>Log</h2>
      {log.length === 0 ? <p class="nothing">Nothing was decided here yet.</p> : null}
      <ol class="plain stack">
        {log.map((decision) => (
          <li key={decision.id} class="card">
            <div class="card-head">
              <h3>
                <bdi>{visible(session.nameOf(decision.path))}</bdi>
              </h3>
              <span class="actions">
                <button
                  type="button"
                  aria-expanded={open === decision.id}
                  onClick={() => setOpen(open === decision.id ? undefined : decision.id)}
                >
                  Diff
                </button>
                {decision.decision === 'accepted' && decision.effect !== 'command' ? (
                  <button type="button" onClick={() => session.undo(decision.id)}>
                    Take back…
                  </button>
                ) : null}
              </span>
            </div>
            <p class="hint">
              {new Date(decision.time).toLocaleString()} · {visible(decision.agent)}: {inWords(decision)} in{' '}
              {visible(decision.by)}
            </p>
            {decision.notes.map(({ text }) => (
              <p key={text} class="note">
                {visible(text)}
              </p>
            ))}
            {open === decision.id ? <LoggedDiff session={session} decision={decision} /> : null}
          </li>
        ))}
      </ol>
    </div>
  );
}

function inWords({ decision, isNewFile, isChanged, effect }: LoggedDecision): string {
  if (decision === 'changesRequested') return 'changes requested';
  if (decision === 'rejected') return effect.startsWith('noticed') ? 'taken back' : 'rejected';
  if (effect === 'command') return 'allowed';
  return `accepted${isChanged ? ' with changes' : ''}${isNewFile ? ', a new file' : ''}`;
}

function LoggedDiff({ session, decision }: SessionProps & { readonly decision: LoggedDecision }) {
  const [shown, setShown] = useState<Items | string>('Loading…');
  useEffect(() => {
    session.loggedTexts(decision.id).then(
      ({ oldText = '', newText = '', accepted, lost }) => {
        if (lost.length > 0) return setShown('Its texts are no longer kept.');
        const after = decision.decision === 'accepted' ? (accepted ?? '') : newText;
        const lines = new DiffLines(decision.path, oldText, after);
        const about = 'The text stays as it is.';
        setShown(
          new Items({ lines, hunks: hunksOf(oldText, after), contextLines: 3, layout: 'unified', about, notes: [] }),
        );
      },
      (error: Error) => setShown(error.message),
    );
  }, [decision.id]);
  if (typeof shown === 'string') return <p class="hint">{shown}</p>;
  return <DiffView items={shown} layout="unified" label={`Diff of ${decision.path}`} rangesOf={() => []} />;
}
