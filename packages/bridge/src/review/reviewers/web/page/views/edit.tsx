import { restoreLineEnds } from '@hawser/diffs/line-ends';
import { useStore } from '@hawser/page-parts/store';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Editor } from '../editor.ts';
import type { ChangeProps } from './change.tsx';

/** The user edits the result. What is typed and not used is there again when the editor is opened again. */
export function EditView({ session, change }: ChangeProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const link = useStore(session.link);
  const [original] = useState(() => change.textToEdit);
  const { drafts, review } = session;
  const close = () => session.editing.set(undefined);
  const cancel = () => {
    close();
    if (drafts.editOf(change) !== undefined) review.say('Your text is not used; e shows it again.');
  };
  const save = () => {
    const text = editor.current?.text;
    if (text === undefined) return;
    if (review.isAway || review.deciding.isBusy) return review.say('Your text stays here until it can be used.');
    drafts.dropEdit(change);
    close();
    review.edit(restoreLineEnds(text, original));
  };
  useEffect(() => {
    let isGone = false;
    const open = async () => {
      const { openEditor } = await import('../editor.ts');
      if (isGone || place.current === null) return;
      editor.current = openEditor(place.current, {
        text: (drafts.editOf(change) ?? original).replaceAll('\r\n', '\n'),
        original: (change.proposal.oldText ?? '').replaceAll('\r\n', '\n'),
        label: `The result in ${session.nameOf(change.proposal.path)}`,
        save,
        cancel,
        changed: (text) => drafts.setEdit(change, restoreLineEnds(text, original)),
      });
    };
    open().catch((error: Error) => setProblem(`The editor can't be loaded: ${error.message}`));
    return () => {
      isGone = true;
      editor.current?.close();
    };
  }, []);
  return (
    <>
      <div class="editor" ref={place} />
      {problem === '' ? null : <p class="problem">{problem}</p>}
      <fieldset class="actions-bar" aria-label="Edit">
        <button type="button" class="primary" disabled={link !== 'connected'} onClick={save}>
          Use my version
        </button>
        <button type="button" onClick={cancel}>
          Cancel
        </button>
        <span class="hint">Ctrl-Enter uses it, Esc cancels. Nothing is written before you accept.</span>
      </fieldset>
    </>
  );
}
