-- Texts of proposals, and the lines a buffer shows of them. Line ends and byte order marks that both texts have in
-- common are the bridge's business; what they don't have in common stays visible in the lines (<feff>, ^M).
local documents = require('hawser.documents')

local M = {}

---@class hawser.DiffText
---@field lines string[] Without their ends; none for an empty text
---@field eol boolean Whether the last one ends

--- The lines of a text.
---@param text? string nil for a file that does not exist
---@return hawser.DiffText
function M.parse(text)
  if not text or text == '' then
    return { lines = {}, eol = true }
  end
  local lines, eol = documents.split(text, '\n')
  return { lines = lines, eol = eol }
end

--- The exact text of a document.
---@param document hawser.DiffText
---@return string
function M.join(document)
  if #document.lines == 0 then
    return ''
  end
  return table.concat(document.lines, '\n') .. (document.eol and '\n' or '')
end

--- Where two lines begin and stop to differ: the length of what they share at the start, and at the end of each.
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
  while first > 0 and ((one:byte(first + 1) or 0) >= 128 and (one:byte(first + 1) or 0) < 192) do
    first = first - 1
  end
  local last = 0
  while last < limit - first and one:byte(#one - last) == other:byte(#other - last) do
    last = last + 1
  end
  while last > 0 and ((one:byte(#one - last + 1) or 0) >= 128 and (one:byte(#one - last + 1) or 0) < 192) do
    last = last - 1
  end
  return first, last
end

return M
