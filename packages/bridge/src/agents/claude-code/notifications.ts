import { defineNotification } from '@hawser/mcp';
import type { Decision } from '../../review/proposal.ts';
import type { WireMention, WireSelection } from './wire.ts';

export const selectionChanged = defineNotification<WireSelection>('selection_changed');
export const atMentioned = defineNotification<WireMention>('at_mentioned');
export const diagnosticsChanged = defineNotification<{ uris: string[] }>('diagnostics_changed');
export const logEvent = defineNotification<{ eventName: string; eventData: object }>('log_event');
/** From the agent: which process it is. */
export const ideConnected = defineNotification<{ pid?: number }>('ide_connected');

/** The user's decision, for the log of the agent that proposed; the text itself is in its answer. */
export function decisionEvent(decision: Decision, filePath: string, newText: string) {
  if (decision.kind === 'rejected') return { eventName: 'diff_rejected', eventData: { filePath } };
  return { eventName: 'diff_accepted', eventData: { filePath, isChanged: decision.text !== newText } };
}
