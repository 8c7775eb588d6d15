-- A proposal as the bridge sends it.
local M = {}

--- Lines from 1: { old_start, old_count, new_start, new_count }. A start with the count 0 is the line before which
--- lines are missing.
---@alias hawser.Hunk integer[]

--- What the user wants for one hunk; '' for nothing yet.
---@alias hawser.Choice 'accepted'|'rejected'|''

--- 'edit' writes the text, 'delete' deletes the file, 'command' runs the text. 'noticed': the agent has written it
--- without asking, and rejecting takes it back; 'noticedDelete' likewise.
---@alias hawser.Effect 'edit'|'delete'|'command'|'noticed'|'noticedDelete'

---@class hawser.Proposal
---@field id string
---@field revision? integer Which version of it this is
---@field path? string
---@field agent? string Who proposes
---@field set? string The set of changes that it belongs to, as in 'Rename a to b (1 of 3)'
---@field old? string The exact text of the file; nil for a new file
---@field new string The exact text that is proposed
---@field hunks hawser.Hunk[]
---@field choices? hawser.Choice[]
---@field effect? hawser.Effect What accepting does; 'edit' by default
---@field advice? string What the user can do besides deciding
---@field base? 'original'|'merged'|'conflict' The last two when the file has changed since it was proposed
---@field edit? integer The edit that the new text is of, 0 for none
---@field layout? hawser.Layout Instead of the one of setup()
---@field is_edited? boolean The new text is the user's
---@field is_unsaved? boolean A buffer has unsaved changes of the file
---@field failure? string Why it could not be written
---@field round? integer Which attempt of the agent this is, if the user asked for changes before
---@field compares? 'file'|'round' What the old text is: the file's, or that of the round before
---@field earlier_notes? hawser.EarlierNote[] What the user said in the round before

--- Whether the agent has not asked: accepting keeps what it did, rejecting takes that back.
---@param proposal hawser.Proposal
---@return boolean
function M.is_noticed(proposal)
  return proposal.effect == 'noticed' or proposal.effect == 'noticedDelete'
end

local LAYOUTS = { auto = true, split = true, inline = true, tab = true }

--- The proposal without what is null; throws what is wrong with it.
---@param given any
---@return hawser.Proposal
function M.checked(given)
  if type(given) ~= 'table' then
    error('a proposal must be a table', 3)
  end
  -- Over a channel, an absent value can arrive as null.
  local proposal = vim.tbl_map(function(value)
    return value ~= vim.NIL and value or nil
  end, given)
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

return M
