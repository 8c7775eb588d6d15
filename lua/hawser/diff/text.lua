-- Texts as exact bytes, and the lines a buffer shows of them.
--
-- A document is { lines, eol }: lines without their ends ({} for an empty text), and whether the last one ends.
-- What both sides of a proposal have in common (a BOM, CRLF throughout) is its shape: it is kept out of the buffers
-- and put back afterwards. What they do not have in common stays visible in the lines (<feff>, ^M).
local M = {}

local BOM = '\239\187\191'

--- What to keep out of the buffers for these two texts; `old` is nil for a new file.
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
function M.line_ends(text)
  if not text:find('\n', 1, true) then
    return 'none'
  end
  if text:byte(1) == 10 or text:find('[^\r]\n') then
    return 'other'
  end
  return 'crlf'
end

--- The document of a text; `text` is nil for a file that does not exist.
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
function M.join(document, shape)
  if #document.lines == 0 then
    return ''
  end
  local bom = shape.bom and BOM or ''
  local line_end = shape.crlf and '\r\n' or '\n'
  return bom .. table.concat(document.lines, line_end) .. (document.eol and line_end or '')
end

--- The stretches that differ, top to bottom: { old_start, old_count, new_start, new_count }. A start counts from 1 and
--- is the line before which lines are added or removed when its count is 0.
function M.hunks(old, new)
  local compare = vim.text and vim.text.diff or vim.diff
  local plain = { bom = false, crlf = false }
  local found = compare(M.join(old, plain), M.join(new, plain), { result_type = 'indices' })
  for _, hunk in ipairs(found) do
    if hunk[2] == 0 then
      hunk[1] = hunk[1] + 1
    end
    if hunk[4] == 0 then
      hunk[3] = hunk[3] + 1
    end
  end
  return found
end

--- The given hunks in the form of `M.hunks`, or nil when they do not describe these documents. With a count of 0 the
--- start may also be the line after which lines are added, as in a unified diff.
function M.checked_hunks(given, old, new)
  if type(given) ~= 'table' then
    return nil
  end
  local hunks, old_at, new_at = {}, 1, 1
  for index, hunk in ipairs(given) do
    for part = 1, 4 do
      if type(hunk[part]) ~= 'number' or hunk[part] < 0 or hunk[part] % 1 ~= 0 then
        return nil
      end
    end
    local old_start, old_count, new_start, new_count = hunk[1], hunk[2], hunk[3], hunk[4]
    if old_count == 0 and old_start - old_at ~= new_start - new_at then
      old_start = old_start + 1
    elseif new_count == 0 and old_start - old_at ~= new_start - new_at then
      new_start = new_start + 1
    end
    if old_count + new_count == 0 or not M.same_lines(old, old_at, old_start, new, new_at, new_start) then
      return nil
    end
    hunks[index] = { old_start, old_count, new_start, new_count }
    old_at, new_at = old_start + old_count, new_start + new_count
  end
  local ends_alike = M.same_lines(old, old_at, #old.lines + 1, new, new_at, #new.lines + 1)
  return ends_alike and hunks or nil
end

function M.same_lines(old, old_from, old_to, new, new_from, new_to)
  if old_to < old_from or old_to - old_from ~= new_to - new_from then
    return false
  end
  if old_to > #old.lines + 1 or new_to > #new.lines + 1 then
    return false
  end
  local shift = new_from - old_from
  for line = old_from, old_to - 1 do
    if old.lines[line] ~= new.lines[line + shift] then
      return false
    end
  end
  local ends_old = old_to > old_from and old_to == #old.lines + 1 and not old.eol
  local ends_new = new_to > new_from and new_to == #new.lines + 1 and not new.eol
  return ends_old == ends_new
end

return M
