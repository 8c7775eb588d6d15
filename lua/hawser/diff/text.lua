-- Texts of proposals, and the lines a buffer shows of them. Line ends and byte order marks that both texts have in
-- common are the bridge's business; what they don't have in common stays visible in the lines (<feff>, ^M).
local documents = require('hawser.documents')

local M = {}

--- Puts a text into a buffer as what was always there: undo does not go behind it.
---@param buffer integer
---@param text? string nil for a file that does not exist
function M.fill(buffer, text)
  local lines, is_ended = {}, true
  if text and text ~= '' then
    lines, is_ended = documents.split(text, '\n')
  end
  local options = vim.bo[buffer]
  local undo_levels = options.undolevels
  options.undolevels = -1
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  options.undolevels = undo_levels
  options.endofline = is_ended
  options.modified = false
end

--- The exact text of a buffer, whatever its 'fileformat' is.
---@param buffer integer
---@return string
function M.of(buffer)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  return table.concat(lines, '\n') .. (documents.has_final_line_end(buffer) and '\n' or '')
end

--- Whether a byte continues a character (UTF-8).
---@param line string
---@param at integer
---@return boolean
local function is_continuation(line, at)
  local byte = line:byte(at) or 0
  return byte >= 128 and byte < 192
end

--- The lengths of the common prefix and suffix of two lines.
---@param one string
---@param other string
---@return integer first
---@return integer last
function M.difference(one, other)
  local first, limit = 0, math.min(#one, #other)
  while first < limit and one:byte(first + 1) == other:byte(first + 1) do
    first = first + 1
  end
  -- Back to the start of a character.
  while first > 0 and is_continuation(one, first + 1) do
    first = first - 1
  end
  local last = 0
  while last < limit - first and one:byte(#one - last) == other:byte(#other - last) do
    last = last + 1
  end
  while last > 0 and is_continuation(one, #one - last + 1) do
    last = last - 1
  end
  return first, last
end

return M
