-- The column of the screen that a view takes for itself. The files in it keep their status lines and nothing else.
local M = {}

local api = vim.api

---@class hawser.Column
---@field files table<integer, integer> The height of each window in it that shows a file
---@field height integer Of all of them
---@field winminheight integer The option as the user has it

---@param window integer
---@return boolean
function M.is_float(window)
  return api.nvim_win_get_config(window).relative ~= ''
end

---@param window integer
---@return boolean
function M.shows_file(window)
  return not M.is_float(window)
    and vim.bo[api.nvim_win_get_buf(window)].buftype == ''
    and not vim.wo[window].previewwindow
end

--- The windows above and below this one in the same column, and itself, from a layout as winlayout() gives it.
---@param layout table
---@param window integer
---@return integer[]?
local function stacked_with(layout, window)
  if layout[1] == 'leaf' then
    return layout[2] == window and { window } or nil
  end
  for _, child in ipairs(layout[2]) do
    local found = stacked_with(child, window)
    if found and not (layout[1] == 'col' and child[1] == 'leaf') then
      return found
    elseif found then
      local leaves = vim.tbl_filter(function(each)
        return each[1] == 'leaf'
      end, layout[2])
      return vim.tbl_map(function(leaf)
        return leaf[2]
      end, leaves)
    end
  end
end

--- The column of a window that shows a file.
---@param window integer
---@return hawser.Column
function M.of(window)
  local column = { files = {}, height = 0, winminheight = vim.o.winminheight }
  for _, each in ipairs(stacked_with(vim.fn.winlayout(), window) or {}) do
    if M.shows_file(each) then
      column.files[each] = api.nvim_win_get_height(each)
      column.height = column.height + column.files[each]
    end
  end
  return column
end

--- Gives windows these sizes. Each changes those of its neighbours, so that one round is not enough.
---@param sizes integer[][] Of each window: itself, its width and height
function M.resize(sizes)
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

--- Gives a window in the column, opened since, all of the height. Other windows keep theirs.
---@param column hawser.Column
---@param window integer
function M.take(column, window)
  vim.o.winminheight = 0
  local sizes = {}
  for _, each in ipairs(api.nvim_tabpage_list_wins(0)) do
    if not M.is_float(each) then
      -- One line is what divides it from the others.
      local height = each == window and column.height - 1 or column.files[each] and 0 or api.nvim_win_get_height(each)
      sizes[#sizes + 1] = { each, api.nvim_win_get_width(each), height }
    end
  end
  M.resize(sizes)
end

--- Gives the files back what they had, as far as there is room. For when that window is closed.
---@param column hawser.Column
function M.give_back(column)
  for window, height in pairs(column.files) do
    if api.nvim_win_is_valid(window) and api.nvim_win_get_height(window) < height then
      api.nvim_win_set_height(window, height)
    end
  end
  if vim.o.winminheight == 0 then
    vim.o.winminheight = column.winminheight
  end
end

return M
