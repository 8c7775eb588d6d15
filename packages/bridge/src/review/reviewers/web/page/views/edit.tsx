import { restoreLineEnds } from '@hawser/diffs/line-ends';
import { useStore } from '@hawser/page-parts/store';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Editor } from '../editor.ts';
import type { ChangeProps } from './change.tsx';

/** The user edits the result. What is typed is the user's version at once, so that nothing is lost. */
export function EditView({ session, change }: ChangeProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const link = useStore(session.link);
  const [original] = useState(() => change.textToEdit);
  const close = () => {
    session.drafts.editing(change.id, undefined);
    session.isEditing.set(false);
  };
  const save = () => {
    const text = editor.current?.text;
    if (text === undefined) return;
    close();
    session.review.edit(restoreLineEnds(text, original));
  };
  useEffect(() => {
    let isGone = false;
    const open = async () => {
      const { openEditor } = await import('../editor.ts');
      if (isGone || place.current === null) return;
      editor.current = openEditor(place.current, {
        text: original.replaceAll('\r\n', '\n'),
        original: (change.proposal.oldText ?? '').replaceAll('\r\n', '\n'),
        label: `The result in ${session.nameOf(change.proposal.path)}`,
        save,
        cancel: close,
        changed: (text) => session.drafts.editing(change.id, restoreLineEnds(text, original)),
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
        <button type="button" onClick={close}>
          Cancel
        </button>
        <span class="hint">Ctrl-Enter uses it, Esc cancels. Nothing is written before you accept.</span>
      </fieldset>
    </>
  );
}
