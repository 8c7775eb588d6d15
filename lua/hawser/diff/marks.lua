-- What diff mode does not show: removed lines in the inline layout, changes in texts too large for diff mode, choices
-- about hunks, and a missing line end at the end of a text.
local documents = require('hawser.documents')
local text = require('hawser.diff.text')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('hawser_diff')

-- Virtual lines cannot be scrolled into view one by one, so the number in one hunk is limited.
local MAX_REMOVED_LINES = 200
M.MAX_HUNKS = 2000
local MAX_BYTES_OF_LINE = 1000

--- Draws anew.
---@param pair hawser.DiffPair
---@param style 'inline'|'sides'|'ends' 'sides' is without diff mode, 'ends' marks missing line ends only
---@param wraps_at? integer The column at which removed lines are wrapped; without it they are cut off
---@return integer filler How many removed lines are drawn above the first line
function M.draw(pair, style, wraps_at)
  local filler = 0
  for _, side in ipairs({ 'old', 'new' }) do
    api.nvim_buf_clear_namespace(pair[side], namespace, 0, -1)
    M.mark_missing_end(pair, side)
  end
  M.mark_choices(pair, style, wraps_at)
  if style == 'ends' then
    return 0
  end
  for index, hunk in ipairs(pair.hunks) do
    if index > M.MAX_HUNKS then
      break
    end
    local group = hunk[2] > 0 and style == 'sides' and 'HawserChanged' or 'HawserAdded'
    M.mark_lines(pair.new, hunk[3], hunk[4], group)
    M.mark_words(pair, hunk, style --[[@as 'inline'|'sides']])
    if style == 'inline' then
      local shown = M.show_removed(pair, hunk, wraps_at)
      filler = hunk[3] == 1 and shown or filler
    else
      M.mark_lines(pair.old, hunk[1], hunk[2], hunk[4] > 0 and 'HawserChanged' or 'HawserRemoved')
    end
  end
  return filler
end

---@param buffer integer
---@param first integer
---@param count integer
---@param group string
function M.mark_lines(buffer, first, count, group)
  local lines = api.nvim_buf_line_count(buffer)
  if count == 0 or first > lines then
    return
  end
  local last = math.min(first + count - 1, lines)
  api.nvim_buf_set_extmark(buffer, namespace, first - 1, 0, {
    end_row = last,
    hl_group = group,
    hl_eol = true,
    priority = 50,
    strict = false,
  })
end

--- What differs within lines, where as many lines come as go.
---@param pair hawser.DiffPair
---@param hunk hawser.Hunk
---@param style 'inline'|'sides'
function M.mark_words(pair, hunk, style)
  if hunk[2] ~= hunk[4] or hunk[2] > MAX_REMOVED_LINES then
    return
  end
  local old = api.nvim_buf_get_lines(pair.old, hunk[1] - 1, hunk[1] - 1 + hunk[2], false)
  local new = api.nvim_buf_get_lines(pair.new, hunk[3] - 1, hunk[3] - 1 + hunk[4], false)
  for index = 1, math.min(#old, #new) do
    local first, last = text.difference(old[index], new[index])
    M.mark_part(pair.new, hunk[3] + index - 2, first, #new[index] - last)
    if style == 'sides' then
      M.mark_part(pair.old, hunk[1] + index - 2, first, #old[index] - last)
    end
  end
end

---@param buffer integer
---@param row integer
---@param first integer
---@param last integer
function M.mark_part(buffer, row, first, last)
  if last > first then
    api.nvim_buf_set_extmark(buffer, namespace, row, first, { end_col = last, hl_group = 'HawserText', priority = 60 })
  end
end

local CHOICES = { accepted = { ' accepted ', 'HawserAdded' }, rejected = { ' rejected ', 'HawserRemoved' } }

--- At the first line of each hunk with a choice, or at the one before which its lines are missing.
---@param pair hawser.DiffPair
---@param style 'inline'|'sides'|'ends'
---@param wraps_at? integer
function M.mark_choices(pair, style, wraps_at)
  for index, choice in ipairs(pair.choices) do
    local chunk = CHOICES[choice]
    local hunk = pair.hunks[index]
    if chunk and index <= M.MAX_HUNKS then
      M.mark_line(pair.new, hunk[3], chunk, wraps_at)
      if style ~= 'inline' then
        M.mark_line(pair.old, hunk[1], chunk)
      end
    end
  end
end

---@param buffer integer
---@param line integer
---@param chunk string[]
---@param wraps_at? integer
function M.mark_line(buffer, line, chunk, wraps_at)
  local row = math.min(math.max(line, 1), api.nvim_buf_line_count(buffer)) - 1
  local given = documents.line_at(buffer, row)
  -- At the right edge it would hide the text of a line that reaches so far, and goes on below.
  local is_long = wraps_at and vim.fn.strdisplaywidth(given:sub(1, wraps_at * 4)) + #chunk[1] > wraps_at
  api.nvim_buf_set_extmark(buffer, namespace, row, 0, {
    virt_text = { chunk },
    virt_text_pos = is_long and 'eol' or 'right_align',
  })
end

--- Draws the removed lines of a hunk above those that come; returns how many lines that takes.
---@param pair hawser.DiffPair
---@param hunk hawser.Hunk
---@param wraps_at? integer
---@return integer
function M.show_removed(pair, hunk, wraps_at)
  local first, count = hunk[1], hunk[2]
  if count == 0 then
    return 0
  end
  local shown = math.min(count, MAX_REMOVED_LINES)
  local lines = {}
  local new = count == hunk[4] and api.nvim_buf_get_lines(pair.new, hunk[3] - 1, hunk[3] - 1 + shown, false) or {}
  for index, line in ipairs(api.nvim_buf_get_lines(pair.old, first - 1, first - 1 + shown, false)) do
    local chunks = M.removed_line(line, new[index], vim.bo[pair.new].tabstop)
    vim.list_extend(lines, wraps_at and M.wrap(chunks, wraps_at) or { chunks })
  end
  lines = vim.tbl_map(M.padded, lines)
  if shown < count then
    lines[#lines + 1] = { { ('… %d more removed lines'):format(count - shown), 'HawserHint' } }
  end
  local line_count = api.nvim_buf_line_count(pair.new)
  local above = hunk[3] <= line_count
  api.nvim_buf_set_extmark(pair.new, namespace, above and hunk[3] - 1 or line_count - 1, 0, {
    virt_lines = lines,
    virt_lines_above = above,
  })
  return #lines
end

--- The chunks of a removed line, with what differs from the line that replaces it.
---@param line string
---@param new? string
---@param tabstop integer
---@return string[][]
function M.removed_line(line, new, tabstop)
  line = line:sub(1, MAX_BYTES_OF_LINE)
  local from, to = #line, #line
  if new then
    local first, last = text.difference(line, new:sub(1, MAX_BYTES_OF_LINE))
    from, to = first, math.max(#line - last, first)
  end
  local chunks, width = {}, 0
  local function add(part, group)
    if part ~= '' then
      local shown
      shown, width = M.as_shown(part, tabstop, width)
      chunks[#chunks + 1] = { shown, group }
    end
  end
  add(line:sub(1, from), 'HawserRemoved')
  add(line:sub(from + 1, to), 'HawserText')
  add(line:sub(to + 1), 'HawserRemoved')
  return chunks
end

--- How many characters of a text fit into so many cells.
---@param given string
---@param cells integer
---@return integer
local function fitting(given, cells)
  if not given:find('[\128-\255]') then
    return math.min(#given, cells)
  end
  local count, width = 0, 0
  for _, character in ipairs(vim.fn.split(given, '\\zs')) do
    width = width + vim.fn.strdisplaywidth(character)
    if width > cells then
      break
    end
    count = count + 1
  end
  return count
end

--- Breaks the chunks of a line where a window of this width would.
---@param chunks string[][]
---@param cells integer
---@return string[][][]
function M.wrap(chunks, cells)
  local lines, used = { {} }, 0
  for _, chunk in ipairs(chunks) do
    local rest = chunk[1]
    while rest ~= '' do
      local count = fitting(rest, cells - used)
      if count == 0 and used == 0 then
        -- A character that is wider than the window.
        count = 1
      end
      if count > 0 then
        local part = vim.fn.strcharpart(rest, 0, count)
        table.insert(lines[#lines], { part, chunk[2] })
        used = used + vim.fn.strdisplaywidth(part)
        rest = rest:sub(#part + 1)
      end
      if rest ~= '' then
        lines[#lines + 1], used = {}, 0
      end
    end
  end
  return lines
end

--- As wide as a screen, so that the background is.
---@param chunks string[][]
---@return string[][]
function M.padded(chunks)
  local width = 0
  for _, chunk in ipairs(chunks) do
    width = width + vim.fn.strdisplaywidth(chunk[1])
  end
  return vim.list_extend({ unpack(chunks) }, { { (' '):rep(math.max(vim.o.columns - width, 0)), 'HawserRemoved' } })
end

--- A text as a buffer would show it from column `width` on, and the column after it.
---@param given string
---@param tabstop integer
---@param width integer
---@return string text
---@return integer width
function M.as_shown(given, tabstop, width)
  local parts, at = {}, 1
  while true do
    local tab = given:find('\t', at, true)
    local part = vim.fn.strtrans((given:sub(at, (tab or 0) - 1):gsub('%z', '\n')))
    parts[#parts + 1] = part
    width = width + vim.fn.strdisplaywidth(part)
    if not tab then
      return table.concat(parts), width
    end
    local gap = tabstop - width % tabstop
    parts[#parts + 1] = (' '):rep(gap)
    width = width + gap
    at = tab + 1
  end
end

---@param pair hawser.DiffPair
---@param side hawser.Side
function M.mark_missing_end(pair, side)
  local buffer = pair[side]
  local lines = api.nvim_buf_line_count(buffer)
  local is_empty = lines == 1 and documents.line_at(buffer, 0) == ''
  if vim.bo[buffer].endofline or is_empty then
    return
  end
  api.nvim_buf_set_extmark(buffer, namespace, lines - 1, 0, {
    virt_text = { { ' no newline at the end', 'HawserHint' } },
  })
end

return M
