-- Where the cursor is among the hunks of a view, and how it gets to another.
local buffers = require('hawser.diff.buffers')

local M = {}

local api = vim.api

--- 'old' or 'new' when the current window is one of the view's.
function M.side(view)
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
  local side = M.side(view) or 'new'
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
  local side = M.side(view) or 'new'
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
    M.uncover_first_lines(view)
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
function M.uncover_first_lines(view)
  local hunk = view.pair.hunks[1]
  if not view.inline or not hunk or hunk[3] ~= 1 or hunk[2] == 0 or M.side(view) == nil or vim.fn.line('.') ~= 1 then
    return
  end
  vim.fn.winrestview({ topline = 1, topfill = math.min(hunk[2], api.nvim_win_get_height(0) - 1) })
end

--- The hunk after (1) or before (-1) the cursor, going round at the ends; nil without any.
function M.neighbouring_hunk(view, direction)
  local side = M.side(view) or 'new'
  local line = api.nvim_win_get_cursor(view.windows[side])[1]
  local hunks = buffers.current_hunks(view.pair)
  local before
  for index, hunk in ipairs(hunks) do
    local at = M.line_of(view, hunk, side)
    if direction > 0 and at > line then
      return index
    elseif direction < 0 and at < line then
      before = index
    end
  end
  if direction > 0 then
    return hunks[1] and 1
  end
  return before or (hunks[1] and #hunks)
end

return M
