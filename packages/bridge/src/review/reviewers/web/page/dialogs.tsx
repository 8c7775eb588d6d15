import { useStore } from '@hawser/page-parts/store';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { placeInWords } from '../../../notes.ts';
import { describeDelivery } from '../../../viewing/describe.ts';
import type { SessionProps } from './app.tsx';
import { diffScreen } from './diff-screen.ts';
import { KEYS } from './keys.ts';
import type { Dialog } from './session.ts';
import { Settings } from './settings.tsx';

/** What the user is asked, in front of the view. */
export function Dialogs({ session }: SessionProps) {
  const dialog = useStore(session.dialog);
  useStore(session.reviewed);
  if (dialog === undefined) return null;
  const close = () => session.dialog.set(undefined);
  switch (dialog.kind) {
    case 'note':
      return <NoteDialog session={session} about={dialog.about} close={close} />;
    case 'ask':
      return <AskDialog session={session} close={close} />;
    case 'many':
      return <ManyDialog session={session} decision={dialog.decision} close={close} />;
    case 'search':
      return <SearchDialog session={session} close={close} />;
    case 'drop edit':
      return (
        <Modal title="Drop your version?" close={close}>
          <div class="actions">
            <button
              type="button"
              class="primary"
              onClick={() => {
                close();
                session.review.dropEdit();
              }}
            >
              Drop it
            </button>
            <button type="button" onClick={close}>
              Keep it
            </button>
          </div>
        </Modal>
      );
    case 'help':
      return (
        <Modal title="Settings and keys" close={close}>
          <div class="settings narrow-only">
            <Settings />
          </div>
          <dl class="keys">
            {KEYS.map(({ keys, does }) => (
              <div key={keys}>
                <dt>
                  <kbd>{keys}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
          <button type="button" class="primary" onClick={close}>
            Close
          </button>
        </Modal>
      );
  }
}

interface ModalProps {
  readonly title: string;
  readonly close: () => void;
  readonly onKey?: (key: string) => boolean;
  readonly children: ComponentChildren;
}

function Modal({ title, close, onKey, children }: ModalProps) {
  const element = useRef<HTMLDialogElement>(null);
  // Before the next key arrives: it may be typed into a field of this.
  useLayoutEffect(() => element.current?.showModal(), []);
  return (
    <dialog
      ref={element}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onKeyDown={(event) => {
        if (onKey?.(event.key) === true) event.preventDefault();
      }}
    >
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}

interface TextDialogProps extends SessionProps {
  readonly title: string;
  readonly action: string;
  readonly hint: string;
  readonly send: (text: string) => void;
  readonly close: () => void;
}

/** Ctrl-Enter sends. What was typed is there again if the dialog is closed and opened. */
function TextDialog({ session, title, action, hint, send, close }: TextDialogProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const { drafts } = session;
  const submit = () => {
    const text = field.current?.value ?? '';
    if (session.review.isAway) return session.review.say('Not connected: your text stays here.');
    drafts.typed = '';
    close();
    send(text);
  };
  return (
    <Modal title={title} close={close}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <label class="stack">
          <span class="sr-only">{title}</span>
          <textarea
            ref={field}
            autofocus
            rows={4}
            defaultValue={drafts.typed}
            onInput={({ currentTarget: { value } }) => {
              drafts.typed = value;
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
            }}
          />
        </label>
        {hint === '' ? null : <p class="hint">{hint}</p>}
        <div class="actions">
          <button type="submit" class="primary">
            {action}
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Modal>
  );
}

interface NoteDialogProps extends SessionProps {
  readonly about: Extract<Dialog, { kind: 'note' }>['about'];
  readonly close: () => void;
}

function NoteDialog({ session, about, close }: NoteDialogProps) {
  const { review } = session;
  const lines = review.linesAt(about);
  const place = lines === undefined ? 'the change' : placeInWords(lines);
  return (
    <TextDialog
      {...{ session, close }}
      title={`Note on ${place}`}
      action="Add note"
      hint="Ctrl-Enter adds it. It goes to the agent with your decision."
      send={(text) => review.addNote(text, lines)}
    />
  );
}

function AskDialog({ session, close }: SessionProps & { readonly close: () => void }) {
  const { review } = session;
  const { length } = review.current?.notes ?? [];
  const sent = length === 0 ? '' : ` (with your ${length === 1 ? 'note' : `${length} notes`})`;
  const delivery = review.current === undefined ? '' : describeDelivery(review.current);
  return (
    <TextDialog
      {...{ session, close }}
      title={`What should change?${sent}`}
      action="Ask for changes"
      hint={delivery === '' ? 'Nothing is written. Ctrl-Enter sends it.' : `Nothing is written. ${delivery}.`}
      send={(text) => review.askForChanges(text)}
    />
  );
}

interface ManyDialogProps extends SessionProps {
  readonly decision: 'accept' | 'reject';
  readonly close: () => void;
}

function ManyDialog({ session, decision, close }: ManyDialogProps) {
  const { current, deciding } = session.review;
  const choices = current === undefined ? [] : deciding.manyOf(current);
  const choose = (key: string) => {
    const chosen = choices.find((choice) => choice.key === key);
    if (chosen === undefined) return false;
    close();
    void deciding.decideAll(chosen.entries, decision);
    return true;
  };
  return (
    <Modal
      title={decision === 'accept' ? 'Accept several changes' : 'Reject several changes'}
      close={close}
      onKey={choose}
    >
      <div class="stack">
        {choices.map(({ key, name }) => (
          <button key={key} type="button" onClick={() => choose(key)}>
            <kbd>{key}</kbd> {name}
          </button>
        ))}
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </Modal>
  );
}

function SearchDialog({ session, close }: SessionProps & { readonly close: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <Modal title="Search in this change" close={close}>
      <form
        class="toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          close();
          session.review.searchFor(field.current?.value ?? '');
          diffScreen.follow();
        }}
      >
        <label class="grow">
          <span class="sr-only">Text</span>
          <input ref={field} type="search" autofocus defaultValue={session.review.search?.text ?? ''} />
        </label>
        <button type="submit" class="primary">
          Search
        </button>
      </form>
      <p class="hint">
        Small letters find capital ones, too. Then . goes to the next match, and , to the previous one.
      </p>
    </Modal>
  );
}
