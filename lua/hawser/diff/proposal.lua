-- A proposal, and how the messages of the bridge become one.
local documents = require('hawser.documents')

local M = {}

--- Lines from 1: { old_start, old_count, new_start, new_count }. A start with the count 0 is the line before which
--- lines are missing.
---@alias hawser.Hunk integer[]

--- What the user wants for one hunk.
---@alias hawser.Choice 'accepted'|'rejected'|'undecided'

--- 'edit' writes the text, 'delete' deletes the file, 'command' runs the text. 'noticed': the agent has written it
--- without asking, and rejecting takes it back; 'noticedDelete' likewise.
---@alias hawser.Effect 'edit'|'delete'|'command'|'noticed'|'noticedDelete'

---@class hawser.Proposal
---@field id string
---@field revision integer Which version of it this is
---@field path string
---@field agent string Who proposes
---@field set? string The set of changes that it belongs to, as in 'Rename a to b (1 of 3)'
---@field old? string The text of the file; nil for a new file
---@field proposed string The text that the agent proposes
---@field new string The text to show: that one, or what the user made of it
---@field made_from integer The revision that the new text was made from
---@field hunks hawser.Hunk[] From the old text to the new
---@field choices hawser.Choice[]
---@field shape { crlf: boolean, bom: boolean } What the bridge took away from both texts
---@field effect hawser.Effect What accepting does
---@field advice? string What the user can do besides deciding
---@field note_delivery 'words'|'mention'|'none' How notes reach the agent
---@field base 'original'|'merged'|'conflict' The last two when the file has changed since it was proposed
---@field is_unsaved? boolean A buffer has unsaved changes of the file
---@field failure? string Why it could not be written
---@field round? integer Which attempt of the agent this is, if the user asked for changes before
---@field round_text? string What it proposed in the round before
---@field round_hunks? hawser.Hunk[] From that to the new text
---@field compares 'file'|'round' What the new text is compared with
---@field earlier_notes hawser.EarlierNote[] What the user said in the round before

--- Whether the agent has not asked: accepting keeps what it did, rejecting takes that back.
---@param proposal hawser.Proposal
---@return boolean
function M.is_noticed(proposal)
  return proposal.effect == 'noticed' or proposal.effect == 'noticedDelete'
end

--- Hunks as they are here, from those of the bridge, which count lines from 0.
---@param hunks integer[][]
---@return hawser.Hunk[]
function M.hunks(hunks)
  return vim.tbl_map(function(hunk)
    return { hunk[1] + 1, hunk[2], hunk[3] + 1, hunk[4] }
  end, hunks)
end

---@param previous table
---@param lines integer[]
---@return hawser.EarlierNote[]
local function earlier_notes(previous, lines)
  local notes = {}
  for index, each in ipairs(previous.notes or {}) do
    notes[index] = { text = ('round %d: %s'):format(previous.round, each.text), line = (lines[index] or 0) + 1 }
  end
  return notes
end

--- A proposal from what the bridge sends.
---@param given table The parameters of `proposal/show`
---@return hawser.Proposal
function M.from_message(given)
  local set, previous = given.set, given.previous or {}
  local since = previous.since or {}
  local new = given.newText or ''
  return {
    id = given.id,
    revision = given.revision,
    path = documents.path_in(given.uri),
    agent = given.agent,
    set = set and ('%s (%d of %d)'):format(set.title, set.index + 1, set.size),
    old = not given.isNewFile and (given.oldText or '') or nil,
    proposed = new,
    new = new,
    made_from = given.revision,
    hunks = M.hunks(given.hunks),
    choices = given.marks or {},
    shape = { crlf = given.lineEnd == '\r\n', bom = given.hasBom },
    effect = given.effect,
    advice = given.advice,
    note_delivery = given.noteDelivery,
    base = given.base,
    round = previous.round and previous.round + 1,
    round_text = previous.newText,
    round_hunks = since.hunks and M.hunks(since.hunks),
    compares = since.hunks and previous.newText ~= new and 'round' or 'file',
    earlier_notes = earlier_notes(previous, since.noteLines or {}),
  }
end

--- The text that the new one is compared with; nil for a new file.
---@param proposal hawser.Proposal
---@return string?
function M.old_text(proposal)
  if proposal.compares == 'round' then
    return proposal.round_text
  end
  return proposal.old
end

return M
