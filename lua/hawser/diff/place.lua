-- Where a view is put, and how windows, sizes, cursors and focus are restored after it.
local buffers = require('hawser.diff.buffers')

local M = {}

local api = vim.api

--- Runs without any autocommand: plugins need not know of our windows.
function M.silently(run)
  buffers.without_events('all', run)
end

function M.is_float(window)
  return api.nvim_win_get_config(window).relative ~= ''
end

function M.plain_windows(tab)
  return vim.tbl_filter(function(window)
    return not M.is_float(window)
  end, api.nvim_tabpage_list_wins(tab))
end

--- What there is now, for `M.restore`.
function M.remember()
  local tab = api.nvim_get_current_tabpage()
  local place = {
    tab = tab,
    window = api.nvim_get_current_win(),
    buffer = api.nvim_get_current_buf(),
    previous_window = vim.fn.win_getid(vim.fn.winnr('#')),
    last_tab = M.tab_handle(vim.fn.tabpagenr('#')),
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

function M.tab_handle(number)
  return api.nvim_list_tabpages()[number]
end

--- The window that gives up room: the current one if it shows a file, else the largest that does.
function M.window_to_split()
  local current = api.nvim_get_current_win()
  if M.shows_file(current) then
    return current
  end
  local best, best_area
  for _, window in ipairs(M.plain_windows(0)) do
    local area = api.nvim_win_get_width(window) * api.nvim_win_get_height(window)
    if M.shows_file(window) and (best == nil or area > best_area) then
      best, best_area = window, area
    end
  end
  if best then
    return best
  end
  return M.is_float(current) and M.plain_windows(0)[1] or current
end

function M.shows_file(window)
  return not M.is_float(window)
    and vim.bo[api.nvim_win_get_buf(window)].buftype == ''
    and not vim.wo[window].previewwindow
end

--- Diff mode, scrollbind and cursorbind join all windows of a tab that have them on; ours must not join the user's.
function M.tab_has_bound_windows()
  for _, window in ipairs(M.plain_windows(0)) do
    local options = vim.wo[window]
    if options.diff or options.scrollbind or options.cursorbind then
      return true
    end
  end
  return false
end

--- Whether side by side in a part of this window would be readable.
function M.has_room(window, columns)
  return api.nvim_win_get_height(window) >= 12 and api.nvim_win_get_width(window) >= columns
end

--- Before 0.10 a position is a table with one key.
local function number(position)
  return type(position) == 'table' and position[false] or position
end

--- Moves the floating window that the user is in above the windows of a view that it covers. `M.restore` moves it back.
function M.move_float_above(place, windows)
  local float = place.window
  if not M.is_float(float) then
    return
  end
  local top = vim.o.lines
  for _, window in pairs(windows) do
    top = math.min(top, api.nvim_win_get_position(window)[1])
  end
  local config, position = api.nvim_win_get_config(float), api.nvim_win_get_position(float)
  local border = config.border and 2 or 0
  if position[1] + config.height + border <= top then
    return
  end
  local first = M.plain_windows(0)[1]
  local row = first and api.nvim_win_get_position(first)[1] or 0
  place.float = {
    window = float,
    config = {
      relative = config.relative,
      win = config.win,
      bufpos = config.bufpos,
      anchor = config.anchor,
      row = number(config.row),
      col = number(config.col),
      width = config.width,
      height = config.height,
    },
  }
  api.nvim_win_set_config(float, {
    relative = 'editor',
    anchor = 'NW',
    row = row,
    col = position[2],
    width = config.width,
    height = math.max(1, top - row - border),
  })
end

--- Closes the windows of the view and restores the layout. `had_focus`: the user was in one of them.
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
      return
    end
    local elsewhere = api.nvim_get_current_tabpage()
    if elsewhere ~= place.tab then
      api.nvim_set_current_tabpage(place.tab)
    end
    local same_screen = vim.deep_equal({ vim.o.columns, vim.o.lines }, place.screen)
    if same_screen and vim.deep_equal(M.plain_windows(place.tab), place.windows) then
      M.restore_sizes(place.sizes)
    end
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

--- Lets plugins know that the window of before is entered, after they were notified that it was left.
function M.announce(place)
  if api.nvim_get_current_win() == place.window then
    api.nvim_exec_autocmds({ 'WinEnter', 'BufEnter' }, { modeline = false })
  end
end

--- So that <C-w>p and g<Tab> still lead where they led.
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

--- Each size changes those of its neighbours, so that one round is not enough.
function M.restore_sizes(sizes)
  for _ = 1, 3 do
    local changed = false
    for _, size in ipairs(sizes) do
      local window, width, height = size[1], size[2], size[3]
      if api.nvim_win_get_width(window) ~= width then
        api.nvim_win_set_width(window, width)
        changed = true
      end
      if api.nvim_win_get_height(window) ~= height then
        api.nvim_win_set_height(window, height)
        changed = true
      end
    end
    if not changed then
      return
    end
  end
end

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
function M.make_ordinary(window)
  api.nvim_win_call(window, function()
    vim.cmd('diffoff')
    for _, name in ipairs({ 'winbar', 'statusline', 'winfixbuf', 'foldmethod', 'foldenable', 'wrap', 'spell' }) do
      if vim.fn.exists('+' .. name) == 1 then
        vim.cmd('setlocal ' .. name .. '<')
      end
    end
  end)
end

return M
