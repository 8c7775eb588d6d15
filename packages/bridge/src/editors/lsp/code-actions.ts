import { basename } from 'node:path';
import type { ParamsOf } from '@hawser/editor-protocol';
import { ErrorCode, RpcError } from '@hawser/mcp';
import { type Members, objectOrEmpty } from '@hawser/unknown-values/objects';
import { lastLineOf, type Range } from '../../editor.ts';
import { rangeIn, uriOf } from '../language-answers.ts';
import { realPathOf } from './open-texts.ts';
import { type Command, PROPOSAL_COMMANDS, type ProposalActions } from './proposal-actions.ts';

const MENTION = 'hawser.mention';

export const COMMANDS: readonly string[] = [MENTION, ...PROPOSAL_COMMANDS];

/** What the user can do in the menu of code actions. All are commands, which every client knows. */
export class CodeActions {
  readonly #proposals: ProposalActions;
  readonly #mention: (mention: ParamsOf<'editor/mention'>) => void;

  constructor(proposals: ProposalActions, mention: (mention: ParamsOf<'editor/mention'>) => void) {
    this.#proposals = proposals;
    this.#mention = mention;
  }

  list(params: Members): readonly Command[] {
    // A client that wants actions of some kind wants none of these: commands have no kind.
    const { only } = objectOrEmpty(params.context);
    if (Array.isArray(only) && only.length > 0) return [];
    const { uri } = objectOrEmpty(params.textDocument);
    const [path, range] = [realPathOf(uri), rangeIn(params.range)];
    if (path === undefined || range === undefined) return [];
    const lines = linesIn(range);
    const mention = {
      title: `Hawser: mention ${basename(path)}${lines === undefined ? '' : `:${lines}`} to agents`,
      command: MENTION,
      arguments: [uri, ...(lines === undefined ? [] : [range])],
    };
    return [mention, ...this.#proposals.actions(uriOf(path))];
  }

  async execute({ command, arguments: given }: Members): Promise<void> {
    if (!COMMANDS.includes(String(command))) {
      throw new RpcError(ErrorCode.InvalidParams, `Unknown command: ${String(command)}`);
    }
    const list: readonly unknown[] = Array.isArray(given) ? given : [];
    if (command !== MENTION) return await this.#proposals.execute(String(command), list);
    const [path, range] = [realPathOf(list[0]), rangeIn(list[1])];
    if (path === undefined) throw new RpcError(ErrorCode.InvalidParams, 'Invalid params: no file is named');
    this.#mention({ uri: uriOf(path), ...(range && { range }) });
  }
}

/** As users write them; undefined for a cursor. */
function linesIn(range: Range): string | undefined {
  const { start, end } = range;
  if (start.line === end.line && start.character === end.character) return undefined;
  const last = lastLineOf(range);
  return last === start.line ? `${start.line + 1}` : `${start.line + 1}-${last + 1}`;
}
