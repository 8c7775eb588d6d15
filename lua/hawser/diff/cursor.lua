-- Where the cursor is among the hunks of a view, and how it gets to another.
local documents = require('hawser.documents')
local text = require('hawser.diff.text')

local M = {}

local api = vim.api

--- How much of a change is seen at least, if there is so much of it.
local SEEN_COLUMNS = 10

--- 'old' or 'new' when the current window is one of the view's.
---@param view hawser.DiffView
---@return hawser.Side?
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
---@param hunk hawser.Hunk
---@param side hawser.Side
---@param line integer
---@return 'touches'|'holds'|false
local function is_at(hunk, side, line)
  local first, count = M.lines_of(hunk, side)
  if count == 0 then
    return (line == first or line == first - 1) and 'touches'
  end
  return line >= first and line < first + count and 'holds'
end

--- The index of the hunk at the cursor, or nil. Of several on one line it is the one that the cursor was put on.
---@param view hawser.DiffView
---@return integer?
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

---@param hunk hawser.Hunk
---@param side hawser.Side
---@return integer first
---@return integer count
function M.lines_of(hunk, side)
  if side == 'old' then
    return hunk[1], hunk[2]
  end
  return hunk[3], hunk[4]
end

--- Puts the cursor on a hunk, in the window the user is in, else in that of the new side. No jump is recorded.
---@param view hawser.DiffView
---@param index integer
---@param stays? boolean The focus stays where it is
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
---@param view hawser.DiffView
---@param side hawser.Side
function M.uncover_missing_lines(view, side)
  local hunk = view.pair.hunks[1]
  local first, count = M.lines_of(hunk, side)
  local _, missing = M.lines_of(hunk, side == 'old' and 'new' or 'old')
  if first == 1 and count == 0 and vim.fn.line('w0') == 1 then
    vim.fn.winrestview({ topline = 1, topfill = math.min(missing, api.nvim_win_get_height(0) - 1) })
  end
end

--- On the first character that differs. A view whose lines are not wrapped shows them from their start, unless that
--- character is too far to the right.
---@param view hawser.DiffView
---@param side hawser.Side
---@param hunk hawser.Hunk
function M.put_cursor(view, side, hunk)
  local line = M.line_of(view, hunk, side)
  api.nvim_win_set_cursor(view.windows[side], { line, M.column_of(view, hunk, side) })
  api.nvim_win_call(view.windows[side], function()
    vim.cmd('normal! zvzz')
    if not vim.wo.wrap then
      local column, width = vim.fn.virtcol('.'), M.text_width()
      -- Some of what is before it stays in sight, and some of what follows comes into it.
      local is_far = column > width - math.min(SEEN_COLUMNS, width / 2)
      vim.fn.winrestview({ leftcol = is_far and column - math.floor(width / 2) or 0 })
    end
  end)
end

--- The columns of the current window that show text.
---@return integer
function M.text_width()
  return api.nvim_win_get_width(0) - vim.fn.getwininfo(api.nvim_get_current_win())[1].textoff
end

--- Where the first lines of both sides begin to differ; 0 when one side has none.
---@param view hawser.DiffView
---@param hunk hawser.Hunk
---@param side hawser.Side
---@return integer
function M.column_of(view, hunk, side)
  if hunk[2] == 0 or hunk[4] == 0 then
    return 0
  end
  local old = documents.line_at(view.pair.old, hunk[1] - 1)
  local new = documents.line_at(view.pair.new, hunk[3] - 1)
  local first = text.difference(old, new)
  return math.min(first, math.max(#(side == 'old' and old or new) - 1, 0))
end

--- The line that stands for a hunk on a side: its first, or the one before which lines are missing.
---@param view hawser.DiffView
---@param hunk hawser.Hunk
---@param side hawser.Side
---@return integer
function M.line_of(view, hunk, side)
  return math.min(math.max(M.lines_of(hunk, side), 1), api.nvim_buf_line_count(view.pair[side]))
end

--- What was removed above the first line is drawn only when the window leaves room for it.
---@param view hawser.DiffView
function M.uncover_first_lines(view)
  local filler = view.filler_above_first
  if not view.inline or filler == 0 then
    return
  end
  api.nvim_win_call(view.windows.new, function()
    if vim.fn.line('.') == 1 then
      vim.fn.winrestview({ topline = 1, topfill = math.min(filler, api.nvim_win_get_height(0) - 1) })
    end
  end)
end

--- The hunk after (1) or before (-1) the cursor, going round at the ends; nil without any.
---@param view hawser.DiffView
---@param direction 1|-1
---@return integer?
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
