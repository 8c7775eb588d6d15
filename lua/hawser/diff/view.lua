-- One proposal on the screen: its windows, from opening to the way back. It decides nothing itself.
local buffers = require('hawser.diff.buffers')
local marks = require('hawser.diff.marks')
local place = require('hawser.diff.place')

local M = {}

local api = vim.api

-- Beyond this the native diff, which Neovim repeats at every change, stalls the editor. Its cost grows with the lines,
-- and with the lines times the hunks.
local MOST_LINES_IN_DIFF_MODE = 50000
local MOST_LINES_TIMES_HUNKS = 40e6
local MOST_BYTES_IN_DIFF_MODE = 4 * 1024 * 1024
local MOST_HUNKS_TO_FOLD_BETWEEN = 1000
-- Beyond this inline marks are drawn anew only when insert mode ends.
local MOST_LINES_TO_FOLLOW = 5000

local SIDE_BY_SIDE_COLUMNS = 60
local INLINE_COLUMNS = 30

--- Opens windows for a proposal in the wanted layout, or in a tab of its own where that would be in the way.
--- Throws when there is no room at all; nothing is left behind then.
function M.open(proposal, layout)
  local view = {
    proposal = proposal,
    pair = buffers.create(proposal),
    place = place.remember(),
    windows = {},
    notices = {},
    inline = layout == 'inline',
  }
  if proposal.notice then
    view.notices[1] = proposal.notice
  end
  view.large = M.is_large(view)
  if view.large and not view.inline then
    view.notices[#view.notices + 1] = 'large: diff mode is off'
  end
  if (view.large or view.inline) and #view.pair.hunks > marks.MOST_HUNKS then
    view.notices[#view.notices + 1] = ('only the first %d hunks are marked'):format(marks.MOST_HUNKS)
  end
  local ok, problem = pcall(place.silently, function()
    M.open_windows(view, layout)
  end)
  if not ok then
    M.close(view)
    error(problem, 0)
  end
  if not view.large then
    pcall(buffers.highlight, view.pair, proposal.path)
  end
  M.draw(view)
  M.go_to_hunk(view, 1)
  return view
end

function M.is_large(view)
  local proposal, pair = view.proposal, view.pair
  return pair.line_count > MOST_LINES_IN_DIFF_MODE
    or pair.line_count * #pair.hunks > MOST_LINES_TIMES_HUNKS
    or math.max(#(proposal.old or ''), #proposal.new) > MOST_BYTES_IN_DIFF_MODE
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
    M.fold_between_hunks(view, side)
  end
  -- Diff mode adds to this option of all windows, and never takes it back.
  view.scrollopt = { before = scrollopt, during = vim.o.scrollopt }
end

function M.fold_between_hunks(view, side)
  local hunks = view.pair.hunks
  if #hunks == 0 or #hunks > MOST_HUNKS_TO_FOLD_BETWEEN then
    return
  end
  local context = tonumber(vim.o.diffopt:match('context:(%d+)')) or 6
  local last = api.nvim_buf_line_count(view.pair[side])
  api.nvim_win_call(view.windows[side], function()
    local from = 1
    for index = 1, #hunks + 1 do
      local start, count = last + 1 + context, 0
      if hunks[index] then
        start, count = M.lines_of(hunks[index], side)
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
  buffers.current_hunks(view.pair)
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
  return view.inline and view.pair.line_count <= MOST_LINES_TO_FOLLOW
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

--- 'old' or 'new' when the current window is one of the view's.
function M.side_of_cursor(view)
  local current = api.nvim_get_current_win()
  for side, window in pairs(view.windows) do
    if window == current then
      return side
    end
  end
  return nil
end

--- The index of the hunk at the cursor, or nil. Lines that are missing on this side are found from both neighbours.
function M.hunk_at_cursor(view)
  local side = M.side_of_cursor(view) or 'new'
  local line = api.nvim_win_get_cursor(view.windows[side])[1]
  local hunks = buffers.current_hunks(view.pair)
  local touching
  for index, hunk in ipairs(hunks) do
    local first, count = M.lines_of(hunk, side)
    if line >= first and line < first + count then
      return index
    end
    if count == 0 and (line == first or line == first - 1) and not touching then
      touching = index
    end
  end
  return touching
end

function M.lines_of(hunk, side)
  if side == 'old' then
    return hunk[1], hunk[2]
  end
  return hunk[3], hunk[4]
end

--- Puts the cursor on a hunk, in the window the person is in. No jump is recorded.
function M.go_to_hunk(view, index)
  local hunk = buffers.current_hunks(view.pair)[index]
  local side = M.side_of_cursor(view) or 'new'
  view.hunk = hunk and index or nil
  if not hunk then
    return
  end
  if api.nvim_get_current_win() ~= view.windows[side] then
    api.nvim_set_current_win(view.windows[side])
  end
  if view.large and not view.inline then
    M.put_cursor(view, side == 'old' and 'new' or 'old', hunk)
  end
  M.put_cursor(view, side, hunk)
  if view.inline then
    M.uncover_first_lines(view, hunk)
  elseif not view.large then
    vim.cmd('syncbind')
  end
end

function M.put_cursor(view, side, hunk)
  api.nvim_win_set_cursor(view.windows[side], { M.line_of(view, hunk, side), 0 })
  api.nvim_win_call(view.windows[side], function()
    vim.cmd('normal! zvzz')
  end)
end

--- The line that stands for a hunk on a side: its first, or the one before which lines are missing.
function M.line_of(view, hunk, side)
  return math.min(math.max(M.lines_of(hunk, side), 1), api.nvim_buf_line_count(view.pair[side]))
end

--- What was removed above the first line is drawn only when the window is told to leave room for it.
function M.uncover_first_lines(view, hunk)
  if hunk[3] ~= 1 or hunk[2] == 0 then
    return
  end
  vim.fn.winrestview({ topline = 1, topfill = math.min(hunk[2], api.nvim_win_get_height(0) - 1) })
end

--- The hunk after (1) or before (-1) the cursor, going round at the ends; nil without any.
function M.neighbouring_hunk(view, direction)
  local side = M.side_of_cursor(view) or 'new'
  local line = api.nvim_win_get_cursor(view.windows[side])[1]
  local hunks = buffers.current_hunks(view.pair)
  local at = view.hunk
  local function line_of(hunk)
    return M.line_of(view, hunk, side)
  end
  -- Two hunks may share a line on one side, so the one we went to last counts while the cursor has not moved on.
  if not (at and hunks[at] and line_of(hunks[at]) == line) then
    at = nil
  end
  if direction > 0 then
    for index, hunk in ipairs(hunks) do
      if (at and index > at) or (not at and line_of(hunk) > line) then
        return index
      end
    end
    return hunks[1] and 1
  end
  for index = #hunks, 1, -1 do
    if (at and index < at) or (not at and line_of(hunks[index]) < line) then
      return index
    end
  end
  return hunks[1] and #hunks
end

--- Takes the view down and brings back what was there before. Safe on a view that is half gone.
function M.close(view)
  local windows = {}
  local had_focus = view.lost_focus or M.side_of_cursor(view) ~= nil
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
