import { useStore } from '@hawser/page-parts/store';
import { visible } from '@hawser/page-parts/visible-text';
import { useState } from 'preact/hooks';
import type { ReviewedChange } from '../../../../viewing/reviewed-change.ts';
import type { SessionProps } from '../app.tsx';
import { ChangeView } from './change.tsx';

/** The open changes, and the one that the user looks at. */
export function ReviewView({ session }: SessionProps) {
  useStore(session.reviewed);
  const { current, changes } = session.review;
  const link = useStore(session.link);
  const [isListOpen, setListOpen] = useState(false);
  if (current === undefined) return link === 'connected' ? <Idle session={session} /> : null;
  const index = changes.entries.indexOf(current);
  return (
    <div class={isListOpen ? 'review list-open' : 'review'}>
      <div class="list-pane">
        <ChangeList session={session} chosen={() => setListOpen(false)} />
      </div>
      <div class="change-pane">
        <div class="switcher">
          <button
            type="button"
            aria-label="Previous change"
            disabled={index === 0}
            onClick={() => session.review.showNext(-1)}
          >
            ‹
          </button>
          <button type="button" aria-expanded={isListOpen} onClick={() => setListOpen(!isListOpen)}>
            {index + 1} of {changes.entries.length}
          </button>
          <button
            type="button"
            aria-label="Next change"
            disabled={index === changes.entries.length - 1}
            onClick={() => session.review.showNext(1)}
          >
            ›
          </button>
        </div>
        <ChangeView key={current.id} session={session} change={current} />
      </div>
    </div>
  );
}

function ChangeList({ session, chosen }: SessionProps & { readonly chosen: () => void }) {
  const { changes } = session.review;
  const groups = [...new Map(changes.entries.map((change) => [changes.groupOf(change).entries[0], change])).values()];
  return (
    <>
      {groups.map((first) => {
        const { entries, size, decided } = changes.groupOf(first);
        const { set, agent } = first.proposal;
        return (
          <section key={first.id} aria-label={visible(set?.title ?? agent)}>
            <h2>
              {visible(set?.title ?? agent)}{' '}
              {size > 1 ? (
                <span class="count">
                  {decided} of {size} decided
                </span>
              ) : null}
            </h2>
            <ul class="plain">
              {entries.map((change) => (
                <li key={change.id}>
                  <ChangeButton session={session} change={change} chosen={chosen} />
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
}

interface ChangeButtonProps extends SessionProps {
  readonly change: ReviewedChange;
  readonly chosen: () => void;
}

function ChangeButton({ session, change, chosen }: ChangeButtonProps) {
  const { review } = session;
  const { letter, words } = signOf(change);
  const name = session.nameOf(change.proposal.path);
  const file = name.split('/').at(-1) ?? name;
  return (
    <button
      type="button"
      class="file"
      aria-current={change === review.current ? 'true' : undefined}
      onClick={() => {
        review.select(change);
        chosen();
      }}
    >
      <span class={`letter letter-${letter}`} aria-hidden="true">
        {letter}
      </span>
      <span class="file-name">
        <bdi>{visible(file)}</bdi> <span class="sr-only">{words}</span>
        <span class="folder">{visible(name.slice(0, -file.length - 1))}</span>
      </span>
      {change.isMarked ? (
        <span class="count">
          {change.hunkCount - change.undecided}/{change.hunkCount}
        </span>
      ) : null}
    </button>
  );
}

function signOf({ proposal, outcome }: ReviewedChange): { readonly letter: string; readonly words: string } {
  const { oldText, base, progress, effect } = proposal;
  if (outcome !== undefined) return { letter: '·', words: 'ended' };
  if (progress?.kind === 'decided') {
    return progress.decision === 'accepted' ? { letter: '✓', words: 'accepted' } : { letter: '✗', words: 'rejected' };
  }
  if (base === 'conflict' || progress?.kind === 'failed') return { letter: '!', words: 'look at it' };
  if (effect === 'command') return { letter: '$', words: 'a command' };
  if (effect === 'delete' || effect === 'noticedDelete') return { letter: 'D', words: 'deleted' };
  return oldText === undefined ? { letter: 'A', words: 'a new file' } : { letter: 'M', words: 'changed' };
}

function Idle({ session }: SessionProps) {
  const status = useStore(session.status);
  const agents = status?.agents.flatMap(({ clients }) => clients.map(({ name }) => name)) ?? [];
  return (
    <div class="idle">
      <p class="idle-title">No change waits for you.</p>
      <p>
        {agents.length === 0
          ? 'No agent is connected. Start one in this folder, for example with hawser run claude.'
          : `${[...new Set(agents)].join(', ')} ${agents.length === 1 ? 'is' : 'are'} connected. Their changes appear here.`}
      </p>
      {status?.paused === true ? <p>Paused: agents get nothing until you resume.</p> : null}
      {status?.kept?.map((file) => (
        <p key={file} class="hint">
          A version of yours is kept in <code>{file}</code>
        </p>
      ))}
    </div>
  );
}
