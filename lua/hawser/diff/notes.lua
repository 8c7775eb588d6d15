-- What the user says about the proposal on the screen: notes at lines, which move with them, and on the whole of it.
local message = require('hawser.message')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('hawser_notes')

--- Lines from 1, of one side. Without a side it is about the whole proposal.
---@class hawser.Note
---@field text string
---@field side? hawser.Side
---@field first? integer
---@field count? integer
---@field mark? integer The extmark at its first line, while it is on the screen

--- A note of an earlier round at a line of the new text, from 1.
---@class hawser.EarlierNote
---@field text string
---@field line integer

--- Takes the lines of notes from where the user's edits have moved them.
---@param entry hawser.DiffEntry
local function follow(entry)
  for _, each in ipairs(entry.notes) do
    local buffer = entry.view and each.side and entry.view.pair[each.side]
    if buffer and each.mark and api.nvim_buf_is_loaded(buffer) then
      local position = api.nvim_buf_get_extmark_by_id(buffer, namespace, each.mark, {})
      each.first = position[1] and position[1] + 1 or each.first
    end
  end
end

---@param view hawser.DiffView
---@param side hawser.Side
---@param line integer
---@param text string
---@param group string
---@return integer mark
local function draw_one(view, side, line, text, group)
  local buffer = view.pair[side]
  local row = math.min(math.max(line, 1), api.nvim_buf_line_count(buffer)) - 1
  local chunk = { ' » ' .. text:gsub('%c', ' ') .. ' ', group }
  -- Beside another window in diff mode, lines of our own would move the lines apart.
  local how = view.inline and { virt_lines = { { chunk } } } or { virt_text = { chunk } }
  return api.nvim_buf_set_extmark(buffer, namespace, row, 0, how)
end

--- Draws the notes anew.
---@param entry hawser.DiffEntry
function M.draw(entry)
  local view = entry.view
  if not view then
    return
  end
  follow(entry)
  for _, side in ipairs({ 'old', 'new' }) do
    if not api.nvim_buf_is_loaded(view.pair[side]) then
      return
    end
    api.nvim_buf_clear_namespace(view.pair[side], namespace, 0, -1)
  end
  for _, each in ipairs(entry.proposal.earlier_notes) do
    draw_one(view, 'new', each.line, each.text, 'HawserHint')
  end
  for _, each in ipairs(entry.notes) do
    local side = each.side == 'old' and view.windows.old and 'old' or 'new'
    local mark = draw_one(view, side, each.first or 1, each.text, 'HawserNotice')
    each.mark = side == each.side and mark or nil
  end
end

---@param entry hawser.DiffEntry
---@param note hawser.Note
function M.add(entry, note)
  entry.notes[#entry.notes + 1] = note
  M.draw(entry)
end

local DELIVERIES = {
  mention = '%s gets the lines of notes, not the words; hawser log has them',
  none = '%s has no way to get notes; hawser log has them',
}

--- Says how notes reach the agent, unless it simply reads them.
---@param proposal hawser.Proposal
function M.say_delivery(proposal)
  local sentence = DELIVERIES[proposal.note_delivery]
  if sentence then
    message.say(sentence:format(proposal.agent), 'WARN')
  end
end

--- Removes the notes at a line of a side. Returns how many that were.
---@param entry hawser.DiffEntry
---@param side hawser.Side
---@param line integer
---@return integer
function M.remove(entry, side, line)
  follow(entry)
  local before = #entry.notes
  entry.notes = vim.tbl_filter(function(each)
    local first = each.first or 1
    return not ((each.side or 'new') == side and line >= first and line < first + (each.count or 1))
  end, entry.notes)
  M.draw(entry)
  return before - #entry.notes
end

--- The notes as the bridge takes them; nil if there are none.
---@param entry hawser.DiffEntry
---@return table[]?
function M.collect(entry)
  follow(entry)
  local notes = vim.tbl_map(function(each)
    local lines = each.side and { side = each.side, first = each.first - 1, count = each.count } or nil
    return { text = each.text, lines = lines }
  end, entry.notes)
  return #notes > 0 and notes or nil
end

return M
