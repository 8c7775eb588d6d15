import type { Note, NotedLines, Proposal } from './proposal.ts';

/** How many characters of a line are quoted beside a note. */
const MAX_QUOTED = 120;

/** What the user says about a proposal, in words for the agent; empty if there are no notes. */
export function notesInWords(notes: readonly Note[], proposal: Pick<Proposal, 'oldText' | 'newText'>): string {
  return notes.map((note) => `- ${inWords(note, proposal)}`).join('\n');
}

function inWords({ text, lines }: Note, { oldText = '', newText }: Pick<Proposal, 'oldText' | 'newText'>): string {
  const said = text.trim().replaceAll('\n', '\n  ');
  if (lines === undefined) return said;
  const all = (lines.side === 'old' ? oldText : newText).split('\n');
  const quoted = (all[lines.first] ?? '').trim().slice(0, MAX_QUOTED);
  return `${placeInWords(lines)}${quoted === '' ? '' : ` (${quoted})`}: ${said}`;
}

/** `line 3`, `old lines 3 to 5`. */
export function placeInWords({ side, first, count }: NotedLines): string {
  const place = count > 1 ? `lines ${first + 1} to ${first + count}` : `line ${first + 1}`;
  return side === 'old' ? `old ${place}` : place;
}
