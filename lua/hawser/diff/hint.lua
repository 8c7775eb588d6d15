-- A line in the corner that says that a proposal waits: in insert mode a message would be overwritten at once.
local buffers = require('hawser.diff.buffers')
local message = require('hawser.message')

local M = {}

local api = vim.api
local window, shown, shown_row

--- Shows the text in this tab, away from the cursor. Where no window may be opened now, nothing happens.
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
  pcall(M.open, text, cursor_row > (top + bottom) / 2 and top or bottom)
end

function M.open(text, row)
  local line = message.cut(' ' .. text:gsub('%c', ' ') .. ' ', vim.o.columns)
  local width = vim.fn.strdisplaywidth(line)
  local buffer = api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  api.nvim_buf_set_lines(buffer, 0, -1, false, { line })
  local ok, opened = pcall(api.nvim_open_win, buffer, false, {
    relative = 'editor',
    anchor = 'NE',
    row = row,
    col = vim.o.columns,
    width = width,
    height = 1,
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
  api.nvim_win_set_option(window, 'winhighlight', 'Normal:HawserWaiting,NormalFloat:HawserWaiting')
  if api.nvim_get_mode().mode:sub(1, 1) == 'c' then
    vim.cmd('redraw')
  end
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
    -- The command-line window lets no other be closed.
    vim.defer_fn(function()
      if api.nvim_win_is_valid(old) then
        pcall(close)
      end
    end, 1000)
  end
end

return M
