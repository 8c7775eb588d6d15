import { defineNotification, type Server } from '@hawser/mcp';
import type { Access } from '../../access/access.ts';
import type { DiffDecision, Editor, EditorEvent, Selection } from '../../editor.ts';
import { fileUrl, NO_SELECTION, type WireSelection, wireSelection } from './wire.ts';

export const selectionChanged = defineNotification<WireSelection>('selection_changed');
export const atMentioned = defineNotification<{ filePath: string; lineStart?: number; lineEnd?: number }>(
  'at_mentioned',
);
export const diagnosticsChanged = defineNotification<{ uris: string[] }>('diagnostics_changed');
export const logEvent = defineNotification<{ eventName: string; eventData: object }>('log_event');
/** From the agent: which process it is. */
export const ideConnected = defineNotification<{ pid?: number }>('ide_connected');

/** What of the selection an agent may see. */
export function visibleSelection(selection: Selection | undefined, access: Access): WireSelection {
  if (selection === undefined || access.paused || access.isDenied(selection.path)) return NO_SELECTION;
  return wireSelection(selection);
}

/** What a person made of a change, for the log of the agent that proposed it; the text itself is in its answer. */
export function decisionEvent(decision: DiffDecision, filePath: string, newText: string) {
  if (decision.kind === 'rejected') return { eventName: 'diff_rejected', eventData: { filePath } };
  return { eventName: 'diff_accepted', eventData: { filePath, isChanged: decision.text !== newText } };
}

/** Tells every agent what happens in the editor, apart from selections, which have a feed of their own. */
export function forwardEvents(editor: Editor, server: Server, access: Access): () => void {
  return editor.subscribe((event) => {
    if (!access.paused) forward(event, server, access);
  });
}

function forward(event: EditorEvent, server: Server, access: Access): void {
  if (event.kind === 'mention' && !access.isDenied(event.path)) {
    const { path: filePath, lines } = event;
    // Members without a value are left out: the agent discards a notification with a null in it.
    server.notifyAll(atMentioned, {
      filePath,
      ...(lines && { lineStart: lines.first, lineEnd: lines.last }),
    });
  }
  if (event.kind === 'diagnostics') {
    const uris = event.paths.filter((path) => !access.isDenied(path)).map(fileUrl);
    if (uris.length > 0) server.notifyAll(diagnosticsChanged, { uris });
  }
}
