-- Shows proposals, one at a time, and passes on what the user does. Hunks come with each proposal, and the bridge
-- applies decisions; nothing here computes a diff or writes a file.
local keys = require('hawser.diff.keys')
local queue = require('hawser.diff.queue')

local M = {}

local LAYOUTS = { split = true, tab = true, inline = true }

--- Takes the options `diff` of hawser.setup(), which are checked there.
function M.setup(wanted)
  local settings = vim.tbl_extend('force', queue.default_options(), wanted)
  settings.keys = vim.tbl_extend('force', keys.defaults, wanted.keys or {})
  queue.use(settings)
end

local function checked(proposal)
  if type(proposal) ~= 'table' then
    error('a proposal must be a table', 3)
  end
  -- Over a channel, an absent value can arrive as null.
  proposal = vim.tbl_map(function(value)
    return value ~= vim.NIL and value or nil
  end, proposal)
  if type(proposal.id) ~= 'string' or type(proposal.new) ~= 'string' or type(proposal.hunks) ~= 'table' then
    error('a proposal needs an id, the new text and its hunks', 3)
  end
  if proposal.old ~= nil and type(proposal.old) ~= 'string' then
    error('old must be a text, or nil for a new file', 3)
  end
  if proposal.layout ~= nil and not LAYOUTS[proposal.layout] then
    error('there is no layout ' .. tostring(proposal.layout), 3)
  end
  return proposal
end

--- Queues a proposal and returns at once; it appears as soon as the user is not typing.
---   id, revision   which proposal, and which version of it the user sees
---   path, agent    the file, and who proposes
---   old, new       the file's text, nil for a new file, and the proposed one. Exact bytes.
---   hunks          { old_start, old_count, new_start, new_count } each, lines from 1
---   set            optional: the set of changes that it belongs to, as in 'Rename a to b (1 of 3)'
---   base           'original', or 'merged' or 'conflict' when the file has changed since it was proposed
---   edit           optional: the edit that the new text is of, 0 for none
---   layout         optional, instead of the one of setup()
---   is_unsaved     optional: a buffer has unsaved changes of the file
function M.show(proposal)
  proposal = checked(proposal)
  if queue.find(proposal.id) then
    error('this proposal is shown or waits already', 2)
  end
  queue.add(proposal)
end

--- Shows a new revision in place of the one before.
function M.refresh(proposal)
  queue.refresh(checked(proposal))
end

--- `edited(id, edit, text, choices)` is called when the user has changed the new text: answer with set_hunks().
--- `decided(id, revision, decision)` is called once for each decision, which is { kind = 'rejected' } or
--- { kind = 'accepted', choices, text }, the text only if it differs from the last that was sent.
--- Answer with close() or refuse_stale().
function M.listen(listeners)
  queue.listen(listeners)
end

function M.set_hunks(id, edit, hunks, choices)
  queue.set_hunks(id, edit, hunks, choices)
end

function M.refuse_stale(id)
  queue.refuse_stale(id)
end

--- Takes a proposal away. Returns nil when there is none, else { path, was_shown, is_decided_here, kept }: `kept` is
--- the name of a buffer with the user's text, if there was any that would be lost.
function M.close(id)
  return queue.close(id)
end

--- Takes everything away, for example when the bridge has ended; returns how many there were.
function M.close_all()
  return queue.close_all()
end

--- Proposals in order: { id, path, agent, state = 'shown' | 'waiting' }.
function M.pending()
  return queue.pending()
end

function M.count()
  return #queue.pending()
end

--- For a statusline: how many proposals wait, or an empty text.
function M.indicator()
  return queue.indicator()
end

--- Goes to the first proposal, and shows it although keys were just typed. False when even that is not possible now.
function M.reveal()
  return queue.reveal()
end

--- Accepts a proposal as it stands: the one on the screen, or by id.
function M.accept(id)
  return queue.accept(id)
end

function M.reject(id)
  return queue.reject(id)
end

function M.reject_all()
  for _, each in ipairs(queue.pending()) do
    queue.reject(each.id)
  end
end

function M.next_hunk()
  queue.move_by(1)
end

function M.prev_hunk()
  queue.move_by(-1)
end

--- Makes a choice about the hunk at the cursor. Nothing ends before the whole is accepted or rejected.
function M.accept_hunk()
  queue.choose_hunk('accepted')
end

function M.reject_hunk()
  queue.choose_hunk('rejected')
end

--- Takes the last choice about a hunk back. False when there is none since the last edit.
function M.undo_hunk()
  return queue.undo_hunk()
end

return M
