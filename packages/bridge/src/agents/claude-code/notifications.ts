import { defineNotification } from '@hawser/mcp';
import type { Accepted, Rejected } from '../../review/proposal.ts';
import type { WireMention, WireSelection } from './wire.ts';

export const selectionChanged = defineNotification<WireSelection>('selection_changed');
export const atMentioned = defineNotification<WireMention>('at_mentioned');
export const diagnosticsChanged = defineNotification<{ uris: string[] }>('diagnostics_changed');
export const logEvent = defineNotification<{ eventName: string; eventData: object }>('log_event');
/** From the agent: which process it is. */
export const ideConnected = defineNotification<{ pid?: number }>('ide_connected');

/** The user's decision, for the log of the agent that proposed; the text itself is in its answer. */
export function decisionEvent(outcome: Accepted | Rejected, filePath: string) {
  if (outcome.kind !== 'accepted') return { eventName: 'diff_rejected', eventData: { filePath } };
  const isChanged = outcome.text !== outcome.proposal.newText;
  return { eventName: 'diff_accepted', eventData: { filePath, isChanged } };
}
