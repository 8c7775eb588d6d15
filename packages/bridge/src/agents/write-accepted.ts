import { readFileText } from '../access/old-text.ts';
import type { SharedEditor } from '../access/shared-editor.ts';
import { restoreLineEnds } from '../review/hunks/line-ends.ts';
import type { Accepted } from '../review/proposal.ts';

/** Texts as agents compare them: with LF alone, unless they proposed CRLF. */
export interface Written {
  readonly accepted: string;
  /** Differs if the editor changed the text while it saved. */
  readonly saved: string;
}

/**
 * Writes what the user accepted through the editor, for agents that can't write it themselves. Rejects, and writes
 * nothing, if the file has changed since, has unsaved text, or can't be written by this editor.
 */
export async function writeAccepted({ text, proposal }: Accepted, editor: SharedEditor): Promise<Written> {
  const { path, oldText, newText } = proposal;
  if (editor.writeText === undefined) throw new Error(`${editor.name} can't write files for agents`);
  // A proposal with CRLF is compared and written as it is.
  const isExact = newText.includes('\r\n');
  const comparable = (given: string | undefined) => (isExact ? given : given?.replaceAll('\r\n', '\n'));
  const expected = await readFileText(path);
  if (comparable(expected) !== oldText) {
    throw new Error('The file has changed since the user accepted. Read it again and propose the change anew');
  }
  const wanted = comparable(text) ?? '';
  const exact = isExact || expected === undefined ? wanted : restoreLineEnds(wanted, expected);
  try {
    await editor.writeText(path, exact, { expected });
  } catch (error) {
    // An editor that answers too late may have written it all the same.
    if ((await readFileText(path).catch(() => undefined)) !== exact) throw error;
  }
  return { accepted: wanted, saved: comparable(await readFileText(path)) ?? '' };
}
