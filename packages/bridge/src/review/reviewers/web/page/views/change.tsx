import type { TextLine } from '@hawser/diffs/diff-lines';
import { DiffRanges, joinedScopes } from '@hawser/page-parts/diff-ranges';
import { useStore } from '@hawser/page-parts/store';
import { workerStarter } from '@hawser/page-parts/trusted-scripts';
import { DiffView } from '@hawser/page-parts/views/diff-view';
import { visible } from '@hawser/page-parts/visible-text';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isNoticed } from '../../../../resolve-decision.ts';
import { describeEnd, describeFile, describeProgress, describeProposal } from '../../../../viewing/describe.ts';
import type { ReviewedChange } from '../../../../viewing/reviewed-change.ts';
import type { Search } from '../../../../viewing/search.ts';
import { SUBPROTOCOL } from '../../page-address.ts';
import type { SessionProps } from '../app.tsx';
import { diffScreen } from '../diff-screen.ts';
import { onSwipe } from '../swipe.ts';
import { EditView } from './edit.tsx';

export interface ChangeProps extends SessionProps {
  readonly change: ReviewedChange;
}

const startWorker = workerStarter(SUBPROTOCOL, '/colours.js');
let worker: Worker | undefined;

/** One change: what it is, its diff, and what the user can do with it. */
export function ChangeView({ session, change }: ChangeProps) {
  const isEditing = useStore(session.editing) === change.id;
  const pane = useRef<HTMLDivElement>(null);
  // Known before anything is painted: a diff that is laid out again moves under the user's finger.
  const [isMeasured, setMeasured] = useState(diffScreen.width.value > 0);
  useLayoutEffect(() => {
    const element = pane.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => diffScreen.width.set(element.clientWidth));
    observer.observe(element);
    diffScreen.width.set(element.clientWidth);
    setMeasured(true);
    const stop = onSwipe(element, (step) => session.review.showNext(step));
    return () => {
      observer.disconnect();
      stop();
    };
  }, []);
  return (
    <article class="change" ref={pane} aria-label={session.nameOf(change.proposal.path)}>
      <ChangeHead session={session} change={change} />
      {isEditing && change.outcome === undefined ? (
        <EditView session={session} change={change} />
      ) : (
        <>
          {isMeasured ? <Diff session={session} change={change} /> : null}
          {change.outcome === undefined ? (
            <Actions session={session} change={change} />
          ) : (
            <Ended {...{ session, change }} />
          )}
        </>
      )}
    </article>
  );
}

function ChangeHead({ session, change }: ChangeProps) {
  const { proposal, hunkCount, undecided } = change;
  const name = session.nameOf(proposal.path);
  const progress = describeProgress(change);
  const round = change.comparedRound;
  return (
    <header class="change-head">
      <h2>
        <bdi>{visible(name)}</bdi>
      </h2>
      <p class="hint">
        {visible(describeProposal(proposal))}
        {hunkCount > 0 ? ` · ${hunkCount} ${hunkCount === 1 ? 'hunk' : 'hunks'}` : ''}
        {change.isMarked ? `, ${undecided} undecided` : ''}
      </p>
      {proposal.advice === undefined ? null : <p class="hint">{visible(proposal.advice)}</p>}
      {progress === undefined ? null : (
        <p class={proposal.progress?.kind === 'failed' ? 'chip chip-bad' : 'chip chip-accent'}>{visible(progress)}</p>
      )}
      {change.edited === undefined ? null : <p class="chip chip-accent">This is your version.</p>}
      {change.isStale ? <p class="chip chip-warning">The file has changed since; look at the new diff.</p> : null}
      {proposal.previous === undefined ? null : (
        <p class="inline">
          <span class="hint">
            {round === undefined ? 'The whole change.' : `What is new since round ${round.round}.`}
          </span>
          <button type="button" class="link" onClick={() => session.review.switchComparison()}>
            {round === undefined ? `Only what is new since round ${proposal.previous.round}` : 'The whole change'}
          </button>
        </p>
      )}
    </header>
  );
}

function Diff({ session, change }: ChangeProps) {
  const { review } = session;
  useStore(diffScreen.width);
  const wishes = useStore(diffScreen.wishes);
  const [, redraw] = useState(0);
  const cursor = review.cursorOf(change);
  const layout = diffScreen.layoutIn(session);
  cursor.layout = layout;
  const { items, row } = cursor;
  const { lines } = change;
  const ranges = useMemo(() => {
    worker ??= startWorker();
    const { path } = change.proposal;
    const texts = { path, oldText: change.before, newText: change.newText };
    return new DiffRanges(worker, texts, () => redraw((count) => count + 1));
  }, [lines]);
  useEffect(() => () => ranges.close(), [ranges]);
  const wanted = useMemo(() => ({ row, align: 'nearest' as const }), [wishes]);
  const onView = useMemo(() => (first: number, last: number) => diffScreen.viewed(first, last), []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys scroll it
    <section class="scroller" tabIndex={0} aria-label="Diff">
      <DiffView
        {...{ items, layout, wanted, onView }}
        label={`Diff of ${session.nameOf(change.proposal.path)}`}
        cursor={row}
        rangesOf={(line) => joinedScopes(ranges.of(line), foundIn(line, review.search))}
        onRow={(index, side) => {
          cursor.toRow(index, side);
          review.say('');
        }}
        onUnfold={() => review.showContext(1)}
        hunkHead={(hunk) => <HunkHead session={session} change={change} hunk={hunk} />}
        hunkClass={(hunk) => MARKS[change.mark(hunk) ?? 'undecided']}
        noteTools={(note) => (
          <button type="button" class="link" onClick={() => review.removeNote(note)}>
            Remove
          </button>
        )}
      />
    </section>
  );
}

function foundIn(line: TextLine, search: Search | undefined) {
  return (search?.rangesIn(line) ?? []).map((range) => ({ ...range, scope: 'found' }));
}

const MARKS = { yes: 'hunk-accepted', no: 'hunk-rejected', undecided: '' } as const;

function HunkHead({ session, change, hunk }: ChangeProps & { readonly hunk: number }) {
  const { review } = session;
  const mark = change.mark(hunk);
  const around = change.enclosing(hunk);
  if (change.outcome !== undefined) return null;
  const name = `hunk ${hunk + 1}`;
  return (
    <>
      <span class="hunk-name">
        Hunk {hunk + 1}
        {around === undefined ? '' : <span class="around"> {visible(around.trim())}</span>}
      </span>
      <span class="hunk-tools">
        <button
          type="button"
          aria-pressed={mark === 'yes'}
          aria-label={`Accept ${name}`}
          onClick={() => review.markHunk(hunk, 'yes')}
        >
          ✓ Accept
        </button>
        <button
          type="button"
          aria-pressed={mark === 'no'}
          aria-label={`Reject ${name}`}
          onClick={() => review.markHunk(hunk, 'no')}
        >
          ✗ Reject
        </button>
        <button
          type="button"
          aria-label={`Note on ${name}`}
          onClick={() => {
            review.cursorOf(change).toHunk(hunk);
            session.dialog.set({ kind: 'note', about: 'hunk' });
          }}
        >
          Note
        </button>
      </span>
    </>
  );
}

function Actions({ session, change }: ChangeProps) {
  const { review, dialog } = session;
  const isUnasked = isNoticed(change.proposal.effect);
  const isSplit = change.isMarked && change.undecided === 0;
  const isDisabled = review.deciding.isBusy || review.isAway;
  const hasMany = review.changes.entries.length > 1;
  return (
    <fieldset class="actions-bar" aria-label="Decide">
      {isSplit ? (
        <button type="button" class="primary" disabled={isDisabled} onClick={() => review.sendMarks()}>
          Send {change.count('yes')} of {change.hunkCount} hunks
        </button>
      ) : (
        <button type="button" class="primary" disabled={isDisabled} onClick={() => review.accept()}>
          {isUnasked ? 'Keep' : 'Accept'}
        </button>
      )}
      <button type="button" disabled={isDisabled} onClick={() => review.reject()}>
        {isUnasked ? 'Take back' : 'Reject'}
      </button>
      <button type="button" disabled={isDisabled} onClick={() => dialog.set({ kind: 'ask' })}>
        Ask for changes
      </button>
      <button type="button" onClick={() => dialog.set({ kind: 'note', about: 'line' })}>
        Note
      </button>
      <button type="button" onClick={() => session.editing.set(change.id)}>
        Edit
      </button>
      {hasMany ? (
        <button type="button" disabled={isDisabled} onClick={() => dialog.set({ kind: 'many', decision: 'accept' })}>
          Accept several…
        </button>
      ) : null}
      {change.isMarked ? (
        <button type="button" onClick={() => review.takeBack()}>
          Undo
        </button>
      ) : null}
    </fieldset>
  );
}

function Ended({ session, change }: ChangeProps) {
  const { outcome } = change;
  if (outcome === undefined) return null;
  const file = describeFile(change, session.nameOf(change.proposal.path));
  return (
    <div class="ended" role="alert">
      <p>This change was {visible(describeEnd(change, outcome))}.</p>
      {file === undefined ? null : <p>{visible(file)}</p>}
      <button type="button" class="primary" onClick={() => session.review.dismiss()}>
        Go on
      </button>
    </div>
  );
}
