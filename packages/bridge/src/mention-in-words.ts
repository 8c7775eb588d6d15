import { basename } from 'node:path';
import type { Access } from './access/access.ts';
import type { OpenAdapter } from './agent.ts';
import { mentionAudience } from './control/mention-audience.ts';
import type { EditorEvent } from './editor.ts';

type Mention = Extract<EditorEvent, { readonly kind: 'mention' }>;

/** What the user can do where the mention was made. */
export interface MentionAdvice {
  /** Ends a pause, for example `hawser resume resumes sharing`. */
  readonly resume: string;
  /** Starts an agent. */
  readonly start: string;
}

/** Tells the user which agents a mention reached, or why it reached none. */
export async function mentionInWords(
  { path, lines }: Mention,
  { access, agents, advice }: { access: Access; agents: readonly OpenAdapter[]; advice: MentionAdvice },
): Promise<{ readonly type: 'info' | 'warning'; readonly message: string }> {
  const warning = (message: string) => ({ type: 'warning', message }) as const;
  const file = basename(path);
  const visibility = await access.visibility(path);
  const { recipients, others } = mentionAudience(agents);
  const names = recipients.map(({ name }) => name);
  if (visibility === 'paused') return warning(`paused: agents see nothing; ${advice.resume}`);
  if (visibility === 'denied') return warning(`${file} is never shown to agents`);
  if (visibility === 'outside') return warning(`${file} is outside the workspace and not shown to agents`);
  if (names.length === 0 && others.length > 0) return warning(`not sent: ${others.join(', ')} can't be sent mentions`);
  if (names.length === 0) return warning(`no agent is connected; ${advice.start}`);
  const audience = names.length === 1 ? names[0] : `${names.length} agents`;
  return { type: 'info', message: `${placeOf(file, lines)} sent to ${audience}` };
}

function placeOf(file: string, lines: Mention['lines']): string {
  if (lines === undefined) return file;
  return lines.first === lines.last ? `${file}:${lines.first + 1}` : `${file}:${lines.first + 1}-${lines.last + 1}`;
}
