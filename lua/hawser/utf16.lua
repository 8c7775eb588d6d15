-- Neovim counts columns in bytes, agents count them in UTF-16 code units.
local M = {}

local CHARACTER = '[%z\1-\127\192-\255][\128-\191]*'

--- The UTF-16 units of a line before a byte offset from 0.
---@param line string
---@param byte integer
---@return integer
function M.from_byte(line, byte)
  local head = line:sub(1, byte)
  local _, continuation = head:gsub('[\128-\191]', '')
  local _, astral = head:gsub('[\240-\255]', '')
  return #head - continuation + astral
end

--- The byte offset from 0 of the character after this number of UTF-16 units; the length of the line past its end.
---@param line string
---@param units integer
---@return integer
function M.to_byte(line, units)
  if not line:find('[\128-\255]') then
    return math.min(units, #line)
  end
  local at = 0
  for first, character in line:gmatch('()(' .. CHARACTER .. ')') do
    if at >= units then
      return first - 1
    end
    at = at + (character:byte() >= 240 and 2 or 1)
  end
  return #line
end

return M
