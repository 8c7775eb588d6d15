import { useStore } from '@hawser/page-parts/store';
import { TextDiff } from '@hawser/page-parts/views/text-diff';
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
  const [shown, setShown] = useState<{ readonly oldText: string; readonly newText: string } | string>('Loading…');
  useEffect(() => {
    session.loggedTexts(decision.id).then(
      ({ oldText = '', newText = '', accepted, lost }) => {
        if (lost.length > 0) return setShown('Its texts are no longer kept.');
        setShown({ oldText, newText: decision.decision === 'accepted' ? (accepted ?? '') : newText });
      },
      (error: Error) => setShown(error.message),
    );
  }, [decision.id]);
  if (typeof shown === 'string') return <p class="hint">{shown}</p>;
  return <TextDiff name={decision.path} {...shown} about="The text stays as it is." />;
}
