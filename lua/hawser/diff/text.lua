-- Texts as exact bytes, and the lines a buffer shows of them.
local M = {}

---@class hawser.DiffText
---@field lines string[] Without their ends; none for an empty text
---@field eol boolean Whether the last one ends

--- What both sides of a proposal have in common: it is kept out of the buffers and put back afterwards. What they do
--- not have in common stays visible in the lines (<feff>, ^M).
---@class hawser.TextShape
---@field bom boolean
---@field crlf boolean Throughout

local BOM = '\239\187\191'

--- What to keep out of the buffers for these two texts.
---@param old? string nil for a new file
---@param new string
---@return hawser.TextShape
function M.shape(old, new)
  local texts = { new }
  if old ~= nil then
    texts[2] = old
  end
  local shape = { bom = false, crlf = false }
  local crlf, other_ends, without_bom = false, false, false
  for _, text in ipairs(texts) do
    if text ~= '' then
      -- A BOM alone is no line: hidden, it would be nothing at all.
      if text:sub(1, 3) == BOM and text ~= BOM then
        shape.bom = true
      else
        without_bom = true
      end
    end
    local ends = M.line_ends(text)
    crlf = crlf or ends == 'crlf'
    other_ends = other_ends or ends == 'other'
  end
  shape.bom = shape.bom and not without_bom
  shape.crlf = crlf and not other_ends
  return shape
end

--- 'crlf' when every line ends so, 'none' when there is no line end at all, otherwise 'other'.
---@param text string
---@return 'crlf'|'none'|'other'
function M.line_ends(text)
  if not text:find('\n', 1, true) then
    return 'none'
  end
  if text:byte(1) == 10 or text:find('[^\r]\n') then
    return 'other'
  end
  return 'crlf'
end

--- The lines of a text.
---@param text? string nil for a file that does not exist
---@param shape hawser.TextShape
---@return hawser.DiffText
function M.parse(text, shape)
  text = text or ''
  local at = 1
  if shape.bom and text:sub(1, 3) == BOM then
    at = 4
  end
  local lines, count, length = {}, 0, #text
  local trim = shape.crlf and 2 or 1
  while at <= length do
    local stop = text:find('\n', at, true)
    count = count + 1
    if stop == nil then
      lines[count] = text:sub(at)
      return { lines = lines, eol = false }
    end
    lines[count] = text:sub(at, stop - trim)
    at = stop + 1
  end
  return { lines = lines, eol = true }
end

--- The exact text of a document.
---@param document hawser.DiffText
---@param shape hawser.TextShape
---@return string
function M.join(document, shape)
  if #document.lines == 0 then
    return ''
  end
  local bom = shape.bom and BOM or ''
  local line_end = shape.crlf and '\r\n' or '\n'
  return bom .. table.concat(document.lines, line_end) .. (document.eol and line_end or '')
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
