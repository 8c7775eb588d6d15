import { vi } from 'vitest';
import { attachNeovim } from '../../../testing/neovim/attach.ts';
import { type Neovim, neovims } from '../../../testing/neovim/neovims.ts';
import { Reviews } from '../../../testing/neovim/reviews.ts';
import { NeovimUser } from '../../../testing/neovim/user.ts';
import type { ReviewQueue } from '../../review/queue.ts';
import { describeReviewer, type ReviewerUnderTest } from '../../review/reviewer.contract.ts';

const SETUP = "require('hawser').setup { auto_start = false, diff = { idle = 0, grace = 0 } }";

async function makeReviewer(neovim: Neovim, folder: string): Promise<ReviewerUnderTest> {
  const user = await NeovimUser.start(neovim, { folder, before: SETUP });
  const editor = await attachNeovim(user);
  const reviews = new Reviews(user);
  let queue: ReviewQueue | undefined;
  /** Ids by path, of proposals that have ended, too. */
  const ids = new Map<string, string>();
  const idOf = async (path: string): Promise<string> => await vi.waitUntil(() => ids.get(path), 30_000);
  return {
    attach: async (given) => {
      queue = given;
      for (const { path, id } of queue.list()) ids.set(path, id);
      queue.subscribe(({ proposal }) => ids.set(proposal.path, proposal.id));
      if (editor.reviewer !== undefined) queue.attach(editor.reviewer);
    },
    decides: 'user',
    decide: async (path, decision) => reviews.decide(await idOf(path), decision),
    dismiss: async (path) => reviews.decide(await idOf(path), 'dismissed'),
    shown: async (path) => user.until(IS_SHOWN, await idOf(path)),
    says: async (path, words) => {
      const id = await vi.waitUntil(() => queue?.list().find((each) => each.path === path)?.id, 30_000);
      await user.until(SAYS, id, words);
    },
    gone: async (path) => user.until(`not (function(...) ${IS_PENDING} end)(...)`, await idOf(path)),
    dispose: async () => {
      reviews.stop();
      await editor.close();
      await user.dispose();
    },
  };
}

const IS_PENDING = `for _, each in ipairs(require('hawser.diff').pending()) do if each.id == ... then return true end end`;
/** In what is drawn around the texts. */
const SAYS = `(function(id, words)
  local entry = require('hawser.diff').find(id)
  local view = entry and entry.view
  if not view then return false end
  local said = { vim.inspect(view.notices) }
  for _, side in ipairs({ 'old', 'new' }) do
    for _, space in pairs(vim.api.nvim_get_namespaces()) do
      said[#said + 1] = vim.inspect(vim.api.nvim_buf_get_extmarks(view.pair[side], space, 0, -1, { details = true }))
    end
  end
  return table.concat(said):find(words, 1, true) ~= nil
end)(...)`;
const IS_SHOWN = `(function(id) for _, each in ipairs(require('hawser.diff').pending()) do
  if each.id == id and each.state == 'shown' then return true end end end)(...)`;

for (const neovim of neovims) {
  describeReviewer(`the reviewer in Neovim ${neovim.version}`, (folder) => makeReviewer(neovim, folder));
}
