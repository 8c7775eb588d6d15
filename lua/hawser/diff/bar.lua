-- The line above (or, before Neovim 0.8, below) each of our windows: what is proposed, by whom, and which keys decide.
local choices = require('hawser.diff.choices')
local compat = require('hawser.compat')
local message = require('hawser.message')
local proposals = require('hawser.diff.proposal')

local M = {}

local LEAST_TITLE = 8

--- A part of a bar: its highlight group and its text.
---@alias hawser.Segment string[]

--- Draws the bars of a view.
---@param view hawser.DiffView
---@param position { index: integer, total: integer } Among the proposals that wait together
---@param keys table<hawser.DiffAction, string> The first key of each action
function M.draw(view, position, keys)
  local notices = M.notices(view)
  if view.windows.old and (compat.has_winbar or vim.o.laststatus ~= 3) then
    local width = M.width(view.windows.new)
    local room = M.width(view.windows.old) - M.width_of(notices)
    M.set(view.windows.old, { notices, M.title(view, position, room) })
    M.set(view.windows.new, { M.hints(view, keys, width, width) })
    return
  end
  for _, window in pairs(view.windows) do
    -- Without bars above and with one statusline for all windows, everything is in that.
    local width = not compat.has_winbar and vim.o.laststatus == 3 and vim.o.columns or M.width(window)
    local room = width - M.width_of(notices)
    local beside_title = room - M.width_of(M.title(view, position, math.floor(width / 3)))
    local hints = M.hints(view, keys, beside_title, room)
    M.set(window, { notices, M.title(view, position, room - M.width_of(hints)), hints })
  end
end

--- What the user should know before deciding.
---@param view hawser.DiffView
---@return hawser.Segment[]
function M.notices(view)
  return vim.tbl_map(function(notice)
    return { 'HawserNotice', ' ' .. notice .. ' ' }
  end, view.notices)
end

--- The file, with its folder if that fits into so many cells, and the agent; cut where even the file does not fit, and
--- left out where next to nothing would be left of it.
---@param view hawser.DiffView
---@param position { index: integer, total: integer }
---@param room integer
---@return hawser.Segment[]
function M.title(view, position, room)
  local proposal = view.proposal
  local parts = { message.short_path(proposal.path), proposal.agent ~= '' and proposal.agent or 'an agent' }
  if proposal.set then
    table.insert(parts, 2, proposal.set)
  end
  if position.total > 1 then
    parts[#parts + 1] = ('%d of %d'):format(position.index, position.total)
  end
  local text = (' %s '):format(table.concat(parts, ' · '))
  if vim.fn.strdisplaywidth(text) > room then
    text = text:gsub('^ [^/·]*/', ' ')
  end
  return room >= LEAST_TITLE and M.cut({ { 'HawserTitle', text } }, room) or {}
end

--- Where the cursor is among the hunks, and how many are decided; the longest first.
---@param view hawser.DiffView
---@return string[]
local function states(view)
  local total = #view.pair.hunks
  local counts = choices.count(view.pair)
  local place = view.hunk and ('%d of %d'):format(view.hunk, total) or tostring(total)
  local long = view.hunk and 'hunk ' .. place or ('%d %s'):format(total, total == 1 and 'hunk' or 'hunks')
  local decided = {}
  for _, choice in ipairs({ 'accepted', 'rejected' }) do
    if counts[choice] > 0 then
      decided[#decided + 1] = (', %d %s'):format(counts[choice], choice)
    end
  end
  return { long .. table.concat(decided), long, place }
end

--- The actions whose keys are shown, the most first. Two that are joined share a word.
local SHOWN = {
  { 'accept', 'reject', 'accept_hunk', 'reject_hunk', 'note', 'ask' },
  { 'accept', 'reject', 'accept_hunk', 'reject_hunk' },
  { 'accept', 'reject', 'accept_hunk/reject_hunk' },
  { 'accept', 'reject' },
}
--- The words for them, where those are not their names.
local WORDS = { ask = 'ask for changes', ['accept_hunk/reject_hunk'] = 'hunk' }
--- For what the agent has done already.
local NOTICED = { accept = 'keep', reject = 'take back', accept_hunk = 'keep hunk', reject_hunk = 'take hunk back' }

---@param state string
---@param shown string[]
---@param keys table<hawser.DiffAction, string>
---@param own_words table<string, string>
---@return hawser.Segment[]
local function segments(state, shown, keys, own_words)
  local hints = { { 'HawserHint', (' %s '):format(state) } }
  for _, actions in ipairs(shown) do
    local labels = {}
    for action in actions:gmatch('[^/]+') do
      labels[#labels + 1] = keys[action]
    end
    if #labels > 0 then
      hints[#hints + 1] = { 'HawserKey', ' ' .. table.concat(labels, '/') }
      local words = own_words[actions] or WORDS[actions] or actions:gsub('_', ' ')
      hints[#hints + 1] = { 'HawserHint', (' %s '):format(words) }
    end
  end
  return hints
end

--- The state of the review and the keys, in as many words as fit. Rather than a key, the title is left out.
---@param view hawser.DiffView
---@param keys table<hawser.DiffAction, string>
---@param beside_title integer The cells beside the title
---@param without_title integer
---@return hawser.Segment[]
function M.hints(view, keys, beside_title, without_title)
  local hints, own_words = {}, proposals.is_noticed(view.proposal) and NOTICED or {}
  for index, shown in ipairs(SHOWN) do
    local room = index <= 2 and beside_title or without_title
    for length, state in ipairs(states(view)) do
      hints = segments(state, shown, keys, own_words)
      -- What is decided is worth more than the keys that are needed less.
      local is_wanted = index > 1 or length == 1
      if is_wanted and M.width_of(hints) <= room then
        return hints
      end
    end
  end
  return hints
end

---@param window integer
---@return integer
function M.width(window)
  return vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_width(window) or 0
end

---@param parts hawser.Segment[]
---@return integer
function M.width_of(parts)
  local width = 0
  for _, segment in ipairs(parts) do
    width = width + vim.fn.strdisplaywidth(M.printable(segment[2]))
  end
  return width
end

---@param text string
---@return string
function M.printable(text)
  return (text:gsub('%c', ' '))
end

--- Shows parts one after the other.
---@param window integer
---@param parts hawser.Segment[][]
function M.set(window, parts)
  if not vim.api.nvim_win_is_valid(window) then
    return
  end
  local line = table.concat(vim.tbl_map(M.render, parts))
  local name = compat.has_winbar and 'winbar' or 'statusline'
  vim.api.nvim_win_call(window, function()
    vim.api.nvim_set_option_value(name, line .. '%<', { scope = 'local' })
  end)
end

---@param parts hawser.Segment[]
---@return string
function M.render(parts)
  local texts = {}
  for _, segment in ipairs(parts) do
    texts[#texts + 1] = ('%%#%s#%s'):format(segment[1], (M.printable(segment[2]):gsub('%%', '%%%%')))
  end
  return table.concat(texts)
end

---@param parts hawser.Segment[]
---@param room integer
---@return hawser.Segment[]
function M.cut(parts, room)
  local kept = {}
  for _, segment in ipairs(parts) do
    local text = M.printable(segment[2])
    local width = vim.fn.strdisplaywidth(text)
    if width > room then
      kept[#kept + 1] = { segment[1], room > 0 and message.cut(text, room) or '' }
      break
    end
    kept[#kept + 1] = segment
    room = room - width
  end
  return kept
end

return M
