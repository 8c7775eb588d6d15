-- A line in the corner, for insert and terminal mode, where a message would be overwritten at once.
local buffers = require('hawser.diff.buffers')
local highlights = require('hawser.highlights')
local message = require('hawser.message')

local M = {}

local api = vim.api
---@type integer?, string?, integer?
local window, shown, shown_row

--- Shows the text in this tab, away from the cursor. Where no window may be opened now, nothing happens.
---@param text string
function M.show(text)
  local cursor_row = api.nvim_win_get_position(0)[1] + vim.fn.winline() - 1
  if window and api.nvim_win_is_valid(window) and shown == text and math.abs(cursor_row - shown_row) > 1 then
    if api.nvim_win_get_tabpage(window) == api.nvim_get_current_tabpage() then
      return
    end
  end
  M.hide()
  local top = vim.o.showtabline == 0 and 0 or 1
  local bottom = vim.o.lines - vim.o.cmdheight - 2
  local at_top = cursor_row > (top + bottom) / 2
  pcall(M.open, text, at_top and top or bottom, at_top)
end

--- Lines of words that fit into so many cells, with a space around, and how many cells the longest takes.
---@param text string
---@param cells integer
---@return string[] lines
---@return integer width
function M.wrapped(text, cells)
  local lines, width = { '' }, 0
  for word in text:gmatch('[^%c%s]+') do
    local longer = lines[#lines] .. ' ' .. word
    if lines[#lines] ~= '' and vim.fn.strdisplaywidth(longer .. ' ') > cells then
      lines[#lines + 1] = ''
      longer = ' ' .. word
    end
    lines[#lines] = longer
  end
  lines = vim.tbl_map(function(line)
    line = message.cut(line .. ' ', cells)
    width = math.max(width, vim.fn.strdisplaywidth(line))
    return line
  end, lines)
  return lines, width
end

---@param text string
---@param row integer
---@param at_top boolean
function M.open(text, row, at_top)
  local lines, width = M.wrapped(text, vim.o.columns)
  local buffer = api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  local ok, opened = pcall(api.nvim_open_win, buffer, false, {
    relative = 'editor',
    anchor = 'NE',
    row = at_top and row or row - #lines + 1,
    col = vim.o.columns,
    width = width,
    height = #lines,
    focusable = false,
    style = 'minimal',
    noautocmd = true,
    zindex = 60,
  })
  if not ok then
    api.nvim_buf_delete(buffer, { force = true })
    return
  end
  window, shown, shown_row = opened, text, row
  highlights.define()
  vim.wo[opened].winhighlight = 'Normal:HawserWaiting,NormalFloat:HawserWaiting'
  if api.nvim_get_mode().mode:sub(1, 1) == 'c' then
    vim.cmd('redraw')
  end
end

--- Shows the text for a while.
---@param text string
---@param time_ms integer
function M.show_for(text, time_ms)
  M.show(text)
  local own = window
  vim.defer_fn(function()
    if own and window == own then
      M.hide()
    end
  end, time_ms)
end

function M.hide()
  local old = window
  window, shown, shown_row = nil, nil, nil
  if not old or not api.nvim_win_is_valid(old) then
    return
  end
  local function close()
    buffers.without_events('all', function()
      api.nvim_win_close(old, true)
    end)
  end
  if not pcall(close) then
    -- Fails while the command-line window is open.
    vim.defer_fn(function()
      if api.nvim_win_is_valid(old) then
        pcall(close)
      end
    end, 1000)
  end
end

return M
