import type { Guide, GuidePlaces } from '../../connect/guide.ts';
import { commandAndArgs, PATIENCE_SECONDS } from '../../connect/server-entry.ts';

/** How an agent of this kind is configured in its file of the project. */
export function companionGuide(
  {
    command,
    unasked,
  }: { readonly command: string /** Its modes in which it does not ask. */; readonly unasked: string },
  path: string,
  { hawser }: GuidePlaces,
): Guide {
  return {
    steps: [
      `Start it in the folder that Hawser serves: hawser run ${command}, or ${command}. The setting ide.enabled makes it connect.`,
      'After a restart of the editor, type /ide enable in it.',
      `While it asks before it edits, changes wait in the editor for your decision, hunk by hunk. In its ${unasked} nothing is reviewed.`,
    ],
    file: {
      path,
      format: 'json',
      settings: [
        { at: ['ide', 'enabled'], value: true },
        { at: ['mcpServers', 'hawser'], value: { ...commandAndArgs(hawser), timeout: PATIENCE_SECONDS * 1000 } },
      ],
    },
  };
}
