-- Where the user was before a view, and how windows, sizes, cursors and focus are restored after it.
local buffers = require('hawser.diff.buffers')
local column = require('hawser.diff.column')
local compat = require('hawser.compat')

local M = {}

local api = vim.api

--- Where the user was before a view was opened.
---@class hawser.Place
---@field tab integer
---@field window integer
---@field buffer integer
---@field previous_window integer
---@field last_tab? integer
---@field windows integer[]
---@field screen integer[]
---@field sizes integer[][] Of each window: itself, its width and height
---@field views table<integer, { buffer: integer, view: table }>
---@field column? hawser.Column What the view has taken
---@field float? { window: integer, config: table } A floating window that was moved
---@field was_in_terminal? boolean

--- Runs without any autocommand: plugins need not know of our windows.
---@param run fun()
function M.silently(run)
  buffers.without_events('all', run)
end

---@param tab integer
---@return integer[]
function M.plain_windows(tab)
  return vim.tbl_filter(function(window)
    return not column.is_float(window)
  end, api.nvim_tabpage_list_wins(tab))
end

--- What there is now, for `M.restore`.
---@return hawser.Place
function M.remember()
  local tab = api.nvim_get_current_tabpage()
  local place = {
    tab = tab,
    window = api.nvim_get_current_win(),
    buffer = api.nvim_get_current_buf(),
    previous_window = vim.fn.win_getid(vim.fn.winnr('#')),
    last_tab = api.nvim_list_tabpages()[vim.fn.tabpagenr('#')],
    windows = M.plain_windows(tab),
    screen = { vim.o.columns, vim.o.lines },
    sizes = {},
    views = {},
  }
  for index, window in ipairs(place.windows) do
    place.sizes[index] = { window, api.nvim_win_get_width(window), api.nvim_win_get_height(window) }
    place.views[window] =
      { buffer = api.nvim_win_get_buf(window), view = api.nvim_win_call(window, vim.fn.winsaveview) }
  end
  return place
end

--- Closes the windows of the view and restores the layout.
---@param place hawser.Place
---@param windows integer[]
---@param had_focus boolean The user was in one of them
function M.restore(place, windows, had_focus)
  M.silently(function()
    if place.float and api.nvim_win_is_valid(place.float.window) then
      pcall(api.nvim_win_set_config, place.float.window, place.float.config)
    end
    if had_focus and api.nvim_tabpage_is_valid(place.tab) and api.nvim_get_current_tabpage() ~= place.tab then
      api.nvim_set_current_tabpage(place.tab)
    end
    for _, window in ipairs(windows) do
      M.close_window(place, window)
    end
    if not api.nvim_tabpage_is_valid(place.tab) then
      M.give_back_column(place)
      return
    end
    local elsewhere = api.nvim_get_current_tabpage()
    if elsewhere ~= place.tab then
      api.nvim_set_current_tabpage(place.tab)
    end
    local same_screen = vim.deep_equal({ vim.o.columns, vim.o.lines }, place.screen)
    if same_screen and vim.deep_equal(M.plain_windows(place.tab), place.windows) then
      column.resize(place.sizes)
    end
    M.give_back_column(place)
    for window, before in pairs(place.views) do
      M.restore_view(window, before)
    end
    if elsewhere ~= place.tab and api.nvim_tabpage_is_valid(elsewhere) then
      api.nvim_set_current_tabpage(elsewhere)
    elseif had_focus then
      M.restore_neighbours(place)
    end
    if had_focus and api.nvim_win_is_valid(place.window) then
      api.nvim_set_current_win(place.window)
    end
  end)
end

---@param place hawser.Place
function M.give_back_column(place)
  if place.column then
    column.give_back(place.column)
    place.column = nil
  end
end

--- Tells plugins that the previous window is entered again: they were told that it was left.
---@param place hawser.Place
function M.announce(place)
  if api.nvim_get_current_win() == place.window then
    api.nvim_exec_autocmds({ 'WinEnter', 'BufEnter' }, { modeline = false })
  end
end

--- So that <C-w>p and g<Tab> still lead where they led.
---@param place hawser.Place
function M.restore_neighbours(place)
  if place.last_tab and api.nvim_tabpage_is_valid(place.last_tab) and place.last_tab ~= place.tab then
    api.nvim_set_current_tabpage(place.last_tab)
    api.nvim_set_current_tabpage(place.tab)
  end
  local previous = place.previous_window
  if previous ~= 0 and previous ~= place.window and api.nvim_win_is_valid(previous) then
    api.nvim_set_current_win(previous)
  end
end

---@param window integer
---@param before { buffer: integer, view: table }
function M.restore_view(window, before)
  if not api.nvim_win_is_valid(window) or api.nvim_win_get_buf(window) ~= before.buffer then
    return
  end
  api.nvim_win_call(window, function()
    local now = vim.fn.winsaveview()
    if now.lnum == before.view.lnum and now.col == before.view.col then
      vim.fn.winrestview(before.view)
    end
  end)
end

---@param place hawser.Place
---@param window integer
function M.close_window(place, window)
  if not api.nvim_win_is_valid(window) then
    return
  end
  if pcall(api.nvim_win_close, window, true) then
    return
  end
  -- The last window of all cannot be closed: it goes back to what the user looked at before.
  local buffer = api.nvim_buf_is_valid(place.buffer) and place.buffer or api.nvim_create_buf(true, false)
  M.make_ordinary(window)
  api.nvim_win_set_buf(window, buffer)
end

--- Takes from a window what we set in it, for when it has become the user's.
---@param window integer
function M.make_ordinary(window)
  api.nvim_win_call(window, function()
    vim.cmd('diffoff')
    for _, name in ipairs({ 'winbar', 'statusline', 'winfixbuf', 'foldmethod', 'foldenable', 'wrap', 'spell' }) do
      if compat.has_option(name) then
        vim.cmd('setlocal ' .. name .. '<')
      end
    end
  end)
end

return M
