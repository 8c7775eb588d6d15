-- Where the cursor is among the hunks of a view, and how it gets to another.
local text = require('hawser.diff.text')

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

--- Whether a hunk is at a line. Lines that are missing on this side are found from both neighbours.
local function is_at(hunk, side, line)
  local first, count = M.lines_of(hunk, side)
  if count == 0 then
    return (line == first or line == first - 1) and 'touches'
  end
  return line >= first and line < first + count and 'holds'
end

--- The index of the hunk at the cursor, or nil. Of several on one line it is the one that the cursor was put on.
function M.hunk_at_cursor(view)
  local side = M.side(view) or 'new'
  local line = api.nvim_win_get_cursor(view.windows[side])[1]
  local hunks = view.pair.hunks
  local current = view.hunk and hunks[view.hunk]
  if current and (is_at(current, side, line) == 'holds' or M.line_of(view, current, side) == line) then
    return view.hunk
  end
  local touching
  for index, hunk in ipairs(hunks) do
    local how = is_at(hunk, side, line)
    if how == 'holds' then
      return index
    end
    touching = touching or (how and index)
  end
  return touching or nil
end

function M.lines_of(hunk, side)
  if side == 'old' then
    return hunk[1], hunk[2]
  end
  return hunk[3], hunk[4]
end

--- Puts the cursor on a hunk, in the window the user is in, else in that of the new side. No jump is recorded.
--- `stays`: the focus stays where it is.
function M.go_to_hunk(view, index, stays)
  local hunk = view.pair.hunks[index]
  local side = M.side(view) or 'new'
  view.hunk = hunk and index or nil
  if not hunk then
    return
  end
  if not stays and api.nvim_get_current_win() ~= view.windows[side] then
    api.nvim_set_current_win(view.windows[side])
  end
  if view.large and not view.inline then
    M.put_cursor(view, side == 'old' and 'new' or 'old', hunk)
  end
  M.put_cursor(view, side, hunk)
  if view.inline then
    M.uncover_first_lines(view)
  elseif not view.large then
    api.nvim_win_call(view.windows[side], function()
      M.uncover_missing_lines(view, side)
      vim.cmd('syncbind')
    end)
  end
end

--- Lines that are missing above the first line of this side are seen on the other only when there is room for them.
function M.uncover_missing_lines(view, side)
  local hunk = view.pair.hunks[1]
  local first, count = M.lines_of(hunk, side)
  local _, missing = M.lines_of(hunk, side == 'old' and 'new' or 'old')
  if first == 1 and count == 0 and vim.fn.line('w0') == 1 then
    vim.fn.winrestview({ topline = 1, topfill = math.min(missing, api.nvim_win_get_height(0) - 1) })
  end
end

--- On the first character that differs, which is scrolled into view when it is far to the right.
function M.put_cursor(view, side, hunk)
  local line = M.line_of(view, hunk, side)
  api.nvim_win_set_cursor(view.windows[side], { line, M.column_of(view, hunk, side) })
  api.nvim_win_call(view.windows[side], function()
    vim.cmd('normal! zvzz')
    local column = vim.fn.virtcol('.')
    if not vim.wo.wrap and column > vim.fn.winwidth(0) * 2 / 3 then
      -- Some of what is before it stays in sight.
      vim.fn.winrestview({ leftcol = math.max(column - math.floor(vim.fn.winwidth(0) / 2), 0) })
    end
  end)
end

--- Where the first lines of both sides begin to differ; 0 when one side has none.
function M.column_of(view, hunk, side)
  if hunk[2] == 0 or hunk[4] == 0 then
    return 0
  end
  local old = api.nvim_buf_get_lines(view.pair.old, hunk[1] - 1, hunk[1], false)[1] or ''
  local new = api.nvim_buf_get_lines(view.pair.new, hunk[3] - 1, hunk[3], false)[1] or ''
  local first = text.difference(old, new)
  return math.min(first, math.max(#(side == 'old' and old or new) - 1, 0))
end

--- The line that stands for a hunk on a side: its first, or the one before which lines are missing.
function M.line_of(view, hunk, side)
  return math.min(math.max(M.lines_of(hunk, side), 1), api.nvim_buf_line_count(view.pair[side]))
end

--- What was removed above the first line is drawn only when the window leaves room for it.
function M.uncover_first_lines(view)
  local hunk = view.pair.hunks[1]
  if not view.inline or not hunk or hunk[3] ~= 1 or hunk[2] == 0 then
    return
  end
  api.nvim_win_call(view.windows.new, function()
    if vim.fn.line('.') == 1 then
      vim.fn.winrestview({ topline = 1, topfill = math.min(hunk[2], api.nvim_win_get_height(0) - 1) })
    end
  end)
end

--- The hunk after (1) or before (-1) the cursor, going round at the ends; nil without any.
function M.neighbouring_hunk(view, direction)
  local side = M.side(view) or 'new'
  local line = api.nvim_win_get_cursor(view.windows[side])[1]
  local hunks = view.pair.hunks
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
