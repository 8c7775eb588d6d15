-- One proposal on the screen: its windows, from opening to the way back. It decides nothing itself.
local buffers = require('hawser.diff.buffers')
local cursor = require('hawser.diff.cursor')
local marks = require('hawser.diff.marks')
local place = require('hawser.diff.place')

local M = {}

local api = vim.api

-- Beyond this the native diff, which Neovim repeats at every change, stalls the editor. Its cost grows with the lines,
-- and with the lines times the hunks.
local MAX_LINES_IN_DIFF_MODE = 50000
local MAX_LINES_TIMES_HUNKS = 40e6
local MAX_BYTES_IN_DIFF_MODE = 4 * 1024 * 1024
local MAX_HUNKS_TO_FOLD_BETWEEN = 1000
-- Beyond this inline marks are drawn anew only when insert mode ends.
local MAX_LINES_TO_FOLLOW = 5000

local SIDE_BY_SIDE_COLUMNS = 60
local INLINE_COLUMNS = 30

--- Opens windows for a proposal in the layout `how.layout`, or in a tab of its own where that would be in the way. With
--- `how.beside` the focus stays in the terminal where it is, and the layout is inline where there is no room for two
--- sides. Throws when there is no room at all; nothing is left behind then.
function M.open(proposal, how)
  local layout = how.beside and M.layout_beside(how.layout) or how.layout
  local view = {
    proposal = proposal,
    pair = buffers.create(proposal),
    place = place.remember(),
    windows = {},
    inline = layout == 'inline',
    beside = how.beside,
  }
  view.place.was_in_terminal = how.was_in_terminal
  view.large = M.is_large(view)
  M.set_notices(view)
  local ok, problem = pcall(place.silently, function()
    M.open_windows(view, layout)
    if how.beside then
      api.nvim_set_current_win(view.place.window)
      place.move_float_above(view.place, view.windows)
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

local BASES = { merged = 'changed on disk, merged', conflict = 'changed on disk: CONFLICT' }

--- What the user should know before deciding.
function M.set_notices(view)
  local proposal, notices = view.proposal, {}
  if proposal.old == nil then
    notices[1] = 'new file'
  end
  if proposal.is_unsaved then
    notices[#notices + 1] = 'unsaved changes'
  end
  notices[#notices + 1] = BASES[proposal.base]
  if view.large and not view.inline then
    notices[#notices + 1] = 'large: diff mode is off'
  end
  if (view.large or view.inline) and #view.pair.hunks > marks.MAX_HUNKS then
    notices[#notices + 1] = ('only the first %d hunks are marked'):format(marks.MAX_HUNKS)
  end
  view.notices = notices
end

--- Whether there is a window with room for a view beside the terminal that the user is in.
function M.can_open_beside()
  return place.has_room(place.window_to_split(), INLINE_COLUMNS)
end

function M.layout_beside(layout)
  local fits = place.has_room(place.window_to_split(), SIDE_BY_SIDE_COLUMNS) and not place.tab_has_bound_windows()
  return (layout == 'inline' or not fits) and 'inline' or 'split'
end

--- The place to go back to, for a user who goes to the view now.
function M.remember_place(view)
  local now, before = place.remember(), view.place
  before.was_in_terminal = before.was_in_terminal and now.window == before.window
  before.window, before.buffer, before.previous_window = now.window, now.buffer, now.previous_window
  return before
end

--- Back to terminal mode, after the view was closed.
function M.enter_terminal(view)
  if api.nvim_get_current_win() == view.place.window and vim.bo.buftype == 'terminal' then
    vim.cmd('startinsert')
  end
end

function M.is_large(view)
  local proposal, pair = view.proposal, view.pair
  return pair.line_count > MAX_LINES_IN_DIFF_MODE
    or pair.line_count * #pair.hunks > MAX_LINES_TIMES_HUNKS
    or math.max(#(proposal.old or ''), #proposal.new) > MAX_BYTES_IN_DIFF_MODE
end

function M.open_windows(view, layout)
  local target = place.window_to_split()
  local columns = view.inline and INLINE_COLUMNS or SIDE_BY_SIDE_COLUMNS
  local fits = place.has_room(target, columns) and (view.inline or not place.tab_has_bound_windows())
  if layout == 'tab' or not fits or not pcall(M.split_below, view, target) then
    vim.cmd('tab split')
    view.windows.new = api.nvim_get_current_win()
    view.tab = api.nvim_get_current_tabpage()
  end
  M.show_buffer(view.windows.new, view.pair.new)
  if not view.inline then
    vim.cmd(('leftabove %dvsplit'):format(math.floor((api.nvim_win_get_width(0) - 1) / 2)))
    view.windows.old = api.nvim_get_current_win()
    M.show_buffer(view.windows.old, view.pair.old)
    M.compare(view)
  end
  api.nvim_set_current_win(view.windows.new)
end

--- A size of its own keeps 'equalalways' from touching the other windows.
function M.split_below(view, target)
  local height = math.floor(api.nvim_win_get_height(target) * 0.75)
  api.nvim_set_current_win(target)
  vim.cmd(('belowright %dsplit'):format(height))
  view.windows.new = api.nvim_get_current_win()
end

--- A new window has the options of the one it was split from; those that would disturb are set back.
function M.show_buffer(window, buffer)
  local options = {
    winfixbuf = false,
    winfixheight = false,
    winfixwidth = false,
    previewwindow = false,
    diff = false,
    scrollbind = false,
    cursorbind = false,
    foldmethod = 'manual',
    foldenable = false,
    winhighlight = '',
    spell = false,
    conceallevel = 0,
  }
  M.set_options(window, options)
  api.nvim_win_set_buf(window, buffer)
  -- Options of a window belong to a buffer in it, so that the new buffer needs them too.
  options.winfixbuf = true
  M.set_options(window, options)
end

function M.set_options(window, options)
  api.nvim_win_call(window, function()
    for name, value in pairs(options) do
      if vim.fn.exists('+' .. name) == 1 then
        api.nvim_set_option_value(name, value, { scope = 'local' })
      end
    end
  end)
end

function M.compare(view)
  if view.large then
    for _, window in pairs(view.windows) do
      M.set_options(window, { wrap = false })
    end
    return
  end
  local scrollopt = vim.o.scrollopt
  for side, window in pairs(view.windows) do
    api.nvim_win_call(window, function()
      vim.cmd('diffthis')
    end)
    -- Finding folds from the diff takes several times as long as the diff; from the hunks they are had for nothing.
    M.set_options(window, { foldmethod = 'manual', foldenable = true, foldlevel = 0 })
    if side == 'old' then
      -- Lines that the other side lacks are lines that go.
      M.set_options(window, { winhighlight = 'DiffAdd:HawserRemoved' })
    end
    M.fold_between_hunks(view, side)
  end
  -- Diff mode adds to this option of all windows, and never takes it back.
  view.scrollopt = { before = scrollopt, during = vim.o.scrollopt }
end

function M.fold_between_hunks(view, side)
  local hunks = view.pair.hunks
  if #hunks == 0 or #hunks > MAX_HUNKS_TO_FOLD_BETWEEN then
    return
  end
  local context = tonumber(vim.o.diffopt:match('context:(%d+)')) or 6
  local last = api.nvim_buf_line_count(view.pair[side])
  api.nvim_win_call(view.windows[side], function()
    local from = 1
    for index = 1, #hunks + 1 do
      local start, count = last + 1 + context, 0
      if hunks[index] then
        start, count = cursor.lines_of(hunks[index], side)
      end
      local to = math.min(start - 1 - context, last)
      if to > from then
        vim.cmd(('%d,%dfold'):format(from, to))
      end
      from = start + count + context
    end
  end)
end

--- Draws what has changed since.
function M.draw(view)
  if view.inline then
    marks.draw(view.pair, 'inline')
  else
    marks.draw(view.pair, view.large and 'sides' or 'ends')
    -- The internal diff follows by itself.
    if not view.large and not vim.o.diffopt:find('internal', 1, true) and api.nvim_win_is_valid(view.windows.new) then
      api.nvim_win_call(view.windows.new, function()
        vim.cmd('diffupdate')
      end)
    end
  end
end

--- Whether the view is to be drawn again at each key of insert mode.
function M.follows_typing(view)
  return view.inline and view.pair.line_count <= MAX_LINES_TO_FOLLOW
end

--- True while every window is there and shows what it was opened for.
function M.is_whole(view)
  for side, window in pairs(view.windows) do
    if not api.nvim_win_is_valid(window) or api.nvim_win_get_buf(window) ~= view.pair[side] then
      return false
    end
  end
  return api.nvim_buf_is_loaded(view.pair.old) and api.nvim_buf_is_loaded(view.pair.new)
end

--- Takes the view down and brings back what was there before. Safe on a view that is half gone. Returns whether the
--- user was in it.
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
    -- What is typed next was not meant for the window of before.
    vim.cmd('stopinsert')
  end
  place.restore(view.place, windows, had_focus)
  if had_focus and view.roamed then
    place.announce(view.place)
  end
  if view.scrollopt and vim.o.scrollopt == view.scrollopt.during then
    vim.o.scrollopt = view.scrollopt.before
  end
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
