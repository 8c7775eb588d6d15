-- Shows documents without disturbing the user.
local compat = require('hawser.compat')
local documents = require('hawser.documents')

local M = {}

local api = vim.api

---@param win integer
---@return boolean
local function is_ordinary(win)
  if api.nvim_win_get_config(win).relative ~= '' then
    return false
  end
  local buf = api.nvim_win_get_buf(win)
  if vim.bo[buf].buftype ~= '' or vim.wo[win].previewwindow or vim.wo[win].diff then
    return false
  end
  return not (compat.has_option('winfixbuf') and vim.wo[win].winfixbuf)
end

--- In a terminal, in insert mode, on the command line: a user who types keeps the focus.
---@return boolean
local function is_typing()
  local mode = api.nvim_get_mode().mode
  return mode:match('^[itRc]') ~= nil or vim.fn.getcmdwintype() ~= ''
end

---@param buf integer
---@return integer?
local function window_with(buf)
  local current = api.nvim_get_current_win()
  if api.nvim_win_get_buf(current) == buf then
    return current
  end
  for _, win in ipairs(vim.list_extend(api.nvim_tabpage_list_wins(0), api.nvim_list_wins())) do
    if api.nvim_win_get_buf(win) == buf and is_ordinary(win) then
      return win
    end
  end
end

--- The current window unless the user types in it, the one before it, or any that shows a file.
---@return integer?
local function ordinary_window()
  local current = api.nvim_get_current_win()
  local previous = vim.fn.win_getid(vim.fn.winnr('#'))
  local candidates = { current, previous ~= 0 and previous or nil }
  vim.list_extend(candidates, api.nvim_tabpage_list_wins(0))
  local is_taken = is_typing()
  for _, win in ipairs(candidates) do
    if is_ordinary(win) and not (is_taken and win == current) then
      return win
    end
  end
end

--- Beside everything else, without entering it.
---@param buf integer
---@return integer
local function new_window(buf)
  local current = api.nvim_get_current_win()
  vim.cmd('noautocmd keepalt topleft vsplit')
  local win = api.nvim_get_current_win()
  vim.cmd('setlocal nodiff noscrollbind nocursorbind')
  if compat.has_option('winfixbuf') then
    vim.wo[win].winfixbuf = false
  end
  api.nvim_win_set_buf(win, buf)
  vim.cmd('noautocmd call win_gotoid(' .. current .. ')')
  return win
end

--- Shows a buffer, where it is shown already if it is, and enters it unless the user types elsewhere.
---@param buf integer
---@return integer window
function M.show(buf)
  local win = window_with(buf)
  if not win then
    win = ordinary_window() or new_window(buf)
    api.nvim_win_call(win, function()
      -- Not nvim_win_set_buf: it refuses to leave unsaved text where 'hidden' is off.
      vim.cmd('hide buffer ' .. buf)
    end)
  end
  if not is_typing() then
    api.nvim_set_current_win(win)
  end
  return win
end

--- Lets every window that shows a buffer show another one, so that none is closed with it.
---@param buf integer
function M.leave(buf)
  for _, win in ipairs(api.nvim_list_wins()) do
    if api.nvim_win_get_buf(win) == buf then
      api.nvim_win_call(win, function()
        local other = vim.fn.bufnr('#')
        if other > 0 and other ~= buf and vim.fn.buflisted(other) == 1 then
          vim.cmd('hide buffer ' .. other)
        else
          vim.cmd('hide enew')
        end
      end)
    end
  end
end

--- Selects from one place up to another, each row and byte from 0. `past`: the line end of the last row too.
---@param win integer
---@param from integer[]
---@param to integer[]
---@param past boolean
function M.select(win, from, to, past)
  if vim.wo[win].foldenable then
    api.nvim_win_call(win, function()
      vim.cmd(('silent! %dfoldopen!'):format(from[1] + 1))
    end)
  end
  local is_elsewhere = win ~= api.nvim_get_current_win() or is_typing()
  if not is_elsewhere and api.nvim_get_mode().mode ~= 'n' then
    vim.cmd('normal! \27')
  end
  if is_elsewhere or (from[1] == to[1] and from[2] == to[2] and not past) then
    api.nvim_win_set_cursor(win, { from[1] + 1, from[2] })
    return
  end
  local buf = api.nvim_win_get_buf(win)
  local row, byte = to[1], to[2]
  if vim.o.selection ~= 'exclusive' and not past then
    if byte > 0 then
      byte = #vim.fn.matchstr(documents.line_at(buf, row):sub(1, byte), '^.*\\ze.')
    else
      -- Up to the start of a line is up to the line end before it.
      row = row - 1
      byte = #documents.line_at(buf, row)
    end
  end
  vim.cmd('normal! v')
  api.nvim_win_set_cursor(win, { from[1] + 1, from[2] })
  vim.cmd('normal! o')
  api.nvim_win_set_cursor(win, { row + 1, byte })
end

return M
