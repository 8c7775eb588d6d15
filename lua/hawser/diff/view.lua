-- One proposal on the screen: its windows, from opening to the way back. It decides nothing itself.
local buffers = require('hawser.diff.buffers')
local compare = require('hawser.diff.compare')
local cursor = require('hawser.diff.cursor')
local layouts = require('hawser.diff.layout')
local marks = require('hawser.diff.marks')
local place = require('hawser.diff.place')
local room = require('hawser.diff.room')

local M = {}

local api = vim.api

-- Beyond this inline marks are drawn anew only when insert mode ends.
local MAX_LINES_TO_FOLLOW = 5000

---@class hawser.DiffView
---@field proposal hawser.Proposal
---@field pair hawser.DiffPair
---@field place hawser.Place
---@field windows table<hawser.Side, integer>
---@field inline boolean
---@field beside boolean It was opened while the user was in a terminal
---@field large boolean Too large for diff mode
---@field notices string[]
---@field filler_above_first integer Removed lines that are drawn above the first line
---@field hunk? integer The hunk at the cursor
---@field chosen table[] The choices about hunks that can be undone, the last one last
---@field actions fun()[] What the user wants done when the hunks are those of the text
---@field is_asking? boolean The bridge was asked for the hunks
---@field watched? boolean
---@field hold? table While this is here, keys decide nothing
---@field decision_on_close? table
---@field lost_focus? boolean
---@field roamed? boolean The user has been in other windows since
---@field scrollopt? { before: string, during: string }

--- How a view is to be opened.
---@class hawser.Opening
---@field layout hawser.Layout
---@field beside boolean The focus stays in the terminal where it is
---@field was_in_terminal boolean

--- Opens windows for a proposal. Throws when there is no room at all; nothing is left behind then.
---@param proposal hawser.Proposal
---@param how hawser.Opening
---@return hawser.DiffView
function M.open(proposal, how)
  local target = room.window_to_split()
  local arrangement = layouts.choose(how.layout, room.of(target, how.beside))
  ---@type hawser.DiffView
  local view = {
    proposal = proposal,
    pair = buffers.create(proposal),
    place = place.remember(),
    windows = {},
    inline = arrangement.inline,
    beside = how.beside,
    large = false,
    notices = {},
    filler_above_first = 0,
    chosen = {},
    actions = {},
  }
  view.place.was_in_terminal = how.was_in_terminal
  view.large = compare.is_large(view)
  M.set_notices(view)
  local ok, problem = pcall(place.silently, function()
    M.open_windows(view, target, arrangement.in_tab)
    if how.beside then
      api.nvim_set_current_win(view.place.window)
      room.move_float_above(view.place, view.windows)
    end
  end)
  if not ok then
    M.close(view)
    error(problem, 0)
  end
  if not view.large then
    pcall(buffers.highlight, view.pair, proposal.path)
  end
  M.draw(view)
  cursor.go_to_hunk(view, 1, how.beside)
  return view
end

local EFFECTS = {
  delete = 'deletes the file',
  command = 'a command',
  noticed = 'changed without asking',
  noticedDelete = 'deleted without asking',
}
local BASES = { merged = 'changed on disk, merged', conflict = 'changed on disk: CONFLICT' }

--- What the user should know before deciding.
---@param view hawser.DiffView
function M.set_notices(view)
  local proposal, notices = view.proposal, {}
  if proposal.old == nil and proposal.effect ~= 'command' then
    notices[1] = 'new file'
  end
  notices[#notices + 1] = EFFECTS[proposal.effect]
  if proposal.is_unsaved then
    notices[#notices + 1] = 'unsaved changes'
  end
  notices[#notices + 1] = BASES[proposal.base]
  if proposal.failure then
    notices[#notices + 1] = 'not written: ' .. proposal.failure
  end
  if proposal.round then
    local since = proposal.compares == 'round' and (', since round %d'):format(proposal.round - 1) or ''
    notices[#notices + 1] = ('round %d%s'):format(proposal.round, since)
  end
  if view.large and not view.inline then
    notices[#notices + 1] = 'large: diff mode is off'
  end
  if (view.large or view.inline) and #view.pair.hunks > marks.MAX_HUNKS then
    notices[#notices + 1] = ('only the first %d hunks are marked'):format(marks.MAX_HUNKS)
  end
  view.notices = notices
end

--- Whether there is a window with room for a view beside the terminal that the user is in.
---@return boolean
function M.can_open_beside()
  return layouts.fits(room.of(room.window_to_split(), true))
end

--- The place to go back to, for a user who goes to the view now.
---@param view hawser.DiffView
function M.remember_place(view)
  local now, before = place.remember(), view.place
  before.was_in_terminal = before.was_in_terminal and now.window == before.window
  before.window, before.buffer, before.previous_window = now.window, now.buffer, now.previous_window
end

--- Back to terminal mode, after the view was closed.
---@param view hawser.DiffView
function M.enter_terminal(view)
  if api.nvim_get_current_win() == view.place.window and vim.bo.buftype == 'terminal' then
    vim.cmd('startinsert')
  end
end

---@param view hawser.DiffView
---@param target integer The window that gives up its room
---@param in_tab boolean
function M.open_windows(view, target, in_tab)
  local ok, window = false, nil
  if not in_tab then
    ok, window = pcall(room.split, view.place, target)
  end
  if not ok then
    vim.cmd('tab split')
    window = api.nvim_get_current_win()
  end
  view.windows.new = window --[[@as integer]]
  compare.show_buffer(view.windows.new, view.pair.new)
  if not view.inline then
    vim.cmd(('leftabove %dvsplit'):format(math.floor((api.nvim_win_get_width(0) - 1) / 2)))
    view.windows.old = api.nvim_get_current_win()
    compare.show_buffer(view.windows.old, view.pair.old)
    compare.start(view)
  end
  api.nvim_set_current_win(view.windows.new)
end

--- Draws what has changed since.
---@param view hawser.DiffView
function M.draw(view)
  if view.inline then
    view.filler_above_first = marks.draw(view.pair, 'inline', M.wrap_column(view))
  else
    marks.draw(view.pair, view.large and 'sides' or 'ends')
    compare.update(view)
  end
end

--- The column at which the window of an inline view wraps lines; nil if it does not.
---@param view hawser.DiffView
---@return integer?
function M.wrap_column(view)
  local window = view.windows.new
  if not api.nvim_win_is_valid(window) or not vim.wo[window].wrap then
    return nil
  end
  return math.max(api.nvim_win_call(window, cursor.text_width), 1)
end

--- Whether the view is to be drawn again at each key of insert mode.
---@param view hawser.DiffView
---@return boolean
function M.follows_typing(view)
  return view.inline and view.pair.line_count <= MAX_LINES_TO_FOLLOW
end

--- True while every window is there and shows what it was opened for.
---@param view hawser.DiffView
---@return boolean
function M.is_whole(view)
  for side, window in pairs(view.windows) do
    if not api.nvim_win_is_valid(window) or api.nvim_win_get_buf(window) ~= view.pair[side] then
      return false
    end
  end
  return api.nvim_buf_is_loaded(view.pair.old) and api.nvim_buf_is_loaded(view.pair.new)
end

--- Takes the view down and brings back what was there before. Safe on a view that is half gone.
---@param view hawser.DiffView
---@return boolean had_focus
function M.close(view)
  if vim.fn.getcmdwintype() ~= '' then
    -- No other window can be closed while the command-line window is open.
    api.nvim_create_autocmd('CmdwinLeave', {
      once = true,
      callback = vim.schedule_wrap(function()
        M.close(view)
      end),
    })
    return false
  end
  local windows = {}
  local had_focus = view.lost_focus or cursor.side(view) ~= nil
  for side, window in pairs(view.windows) do
    if api.nvim_win_is_valid(window) then
      if api.nvim_win_get_buf(window) == view.pair[side] then
        windows[#windows + 1] = window
      else
        -- Another buffer was opened in it: it is the user's window now.
        pcall(place.make_ordinary, window)
        had_focus = false
      end
    end
  end
  if had_focus and api.nvim_get_mode().mode:match('^[iR]') then
    -- What is typed next was meant for the proposal, not for the window that gets the focus.
    vim.cmd('stopinsert')
  end
  place.restore(view.place, windows, had_focus)
  if had_focus and view.roamed then
    place.announce(view.place)
  end
  compare.stop(view)
  for _, side in ipairs({ 'old', 'new' }) do
    if api.nvim_buf_is_valid(view.pair[side]) then
      pcall(place.silently, function()
        api.nvim_buf_delete(view.pair[side], { force = true })
      end)
    end
  end
  return had_focus
end

return M
