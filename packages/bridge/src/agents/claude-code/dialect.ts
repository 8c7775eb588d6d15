import type { ServerSession } from '@hawser/mcp';
import type { EditorEvent, Selection } from '../../editor.ts';
import { clientName } from '../adapter-parts/agent-client.ts';
import { NO_SELECTION, type WireMention, type WireSelection, wireSelection } from './wire.ts';

type Mention = Extract<EditorEvent, { readonly kind: 'mention' }>;

/** How one of the agents that connect like Claude Code reads our notifications. */
export interface Dialect {
  selection(selection: Selection | undefined): WireSelection;
  mention(mention: Mention): WireMention;
  /** The agent keeps a selection while it is disconnected, so it is sent that there is none when it connects. */
  readonly keepsSelection: boolean;
}

const CLAUDE_CODE: Dialect = {
  selection: (selection) => (selection === undefined ? NO_SELECTION : wireSelection(selection)),
  // Members without a value are left out: the agent discards a notification with a null in it.
  mention: ({ path, lines }) => ({ filePath: path, ...(lines && { lineStart: lines.first, lineEnd: lines.last }) }),
  keepsSelection: false,
};

/** It discards a selection without a file path and a mention without lines, and counts lines from 1. */
const OPENCODE: Dialect = {
  selection: (selection) => ({ filePath: '', ...CLAUDE_CODE.selection(selection) }),
  mention: ({ path, lines }) => ({ filePath: path, ...(lines ? opencodeLines(lines) : { lineStart: 1, lineEnd: 1 }) }),
  keepsSelection: true,
};

/** opencode reads equal lines as "to the end of the file", so a single line is sent with the next one. */
function opencodeLines({ first, last }: { readonly first: number; readonly last: number }) {
  return { lineStart: first + 1, lineEnd: Math.max(last, first + 1) + 1 };
}

export function dialectOf(session: ServerSession): Dialect {
  return clientName(session) === 'opencode' ? OPENCODE : CLAUDE_CODE;
}
