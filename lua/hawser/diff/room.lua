-- Where a view is put: which windows give up their room.
local column = require('hawser.diff.column')
local compat = require('hawser.compat')
local place = require('hawser.diff.place')

local M = {}

local api = vim.api
local is_float, shows_file = column.is_float, column.shows_file

--- The window that gives up room: the current one if it shows a file, else the largest that does.
---@return integer
function M.window_to_split()
  local current = api.nvim_get_current_win()
  if shows_file(current) then
    return current
  end
  local best, best_area
  for _, window in ipairs(place.plain_windows(0)) do
    local area = api.nvim_win_get_width(window) * api.nvim_win_get_height(window)
    if shows_file(window) and (best == nil or area > best_area) then
      best, best_area = window, area
    end
  end
  if best then
    return best
  end
  return is_float(current) and place.plain_windows(0)[1] or current
end

--- Diff mode, scrollbind and cursorbind join all windows of a tab that have them on; ours must not join the user's.
---@return boolean
function M.tab_has_bound_windows()
  return #vim.tbl_filter(function(window)
    local options = vim.wo[window]
    return options.diff or options.scrollbind or options.cursorbind
  end, place.plain_windows(0)) > 0
end

--- The column that a view in place of this window may take; nil where it gets only a part of the window.
---@param window integer
---@return hawser.Column?
local function column_of(window)
  -- A terminal stays in sight, and a floating one needs room above the view.
  return shows_file(window) and not is_float(api.nvim_get_current_win()) and column.of(window) or nil
end

--- The room for a view in place of a window.
---@param window integer
---@param is_beside boolean
---@return hawser.Room
function M.of(window, is_beside)
  local own = column_of(window)
  return {
    width = api.nvim_win_get_width(window),
    height = own and own.height or api.nvim_win_get_height(window),
    screen_width = vim.o.columns,
    is_bound = M.tab_has_bound_windows(),
    is_beside = is_beside,
  }
end

--- Opens a window below another one and enters it: in place of all files in its column, or for three quarters of it.
---@param before hawser.Place
---@param target integer
---@return integer
function M.split(before, target)
  local own = column_of(target)
  -- A size of its own keeps 'equalalways' from touching the other windows.
  local height = math.floor(api.nvim_win_get_height(target) * 0.75)
  api.nvim_set_current_win(target)
  vim.cmd(('belowright %dsplit'):format(math.max(height, 1)))
  local window = api.nvim_get_current_win()
  if own then
    before.column = own
    column.take(own, window)
  end
  return window
end

--- Moves the floating window that the user is in above the windows of a view that it covers, until `place.restore`.
---@param before hawser.Place
---@param windows table<string, integer>
function M.move_float_above(before, windows)
  local float = before.window
  if not is_float(float) then
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
  local first = place.plain_windows(0)[1]
  local row = first and api.nvim_win_get_position(first)[1] or 0
  before.float = {
    window = float,
    config = {
      relative = config.relative,
      win = config.win,
      bufpos = config.bufpos,
      anchor = config.anchor,
      row = compat.float_position(config.row),
      col = compat.float_position(config.col),
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

return M
