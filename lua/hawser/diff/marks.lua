-- What diff mode does not show: removed lines in the inline layout, changes in texts too large for diff mode, and a
-- missing line end at the end of a text.
local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('hawser_diff')

-- Virtual lines cannot be scrolled into view one by one, so one hunk shows only so many of them.
local MOST_REMOVED_LINES = 200
M.MOST_HUNKS = 2000
local MOST_BYTES_OF_LINE = 1000

--- Draws anew. `style` is 'inline', 'sides' (no diff mode) or 'ends' (line ends only).
function M.draw(pair, style)
  for _, side in ipairs({ 'old', 'new' }) do
    api.nvim_buf_clear_namespace(pair[side], namespace, 0, -1)
    M.mark_missing_end(pair, side)
  end
  if style == 'ends' then
    return
  end
  for index, hunk in ipairs(pair.hunks) do
    if index > M.MOST_HUNKS then
      break
    end
    local group = hunk[2] > 0 and style == 'sides' and 'HawserChanged' or 'HawserAdded'
    M.mark_lines(pair.new, hunk[3], hunk[4], group)
    if style == 'inline' then
      M.show_removed(pair, hunk)
    else
      M.mark_lines(pair.old, hunk[1], hunk[2], hunk[4] > 0 and 'HawserChanged' or 'HawserRemoved')
    end
  end
end

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

function M.show_removed(pair, hunk)
  local first, count = hunk[1], hunk[2]
  if count == 0 then
    return
  end
  local shown = math.min(count, MOST_REMOVED_LINES)
  local lines = {}
  for _, line in ipairs(api.nvim_buf_get_lines(pair.old, first - 1, first - 1 + shown, false)) do
    lines[#lines + 1] = { { M.as_shown(line, vim.bo[pair.new].tabstop), 'HawserRemoved' } }
  end
  if shown < count then
    lines[#lines + 1] = { { ('… %d more removed lines'):format(count - shown), 'HawserHint' } }
  end
  local line_count = api.nvim_buf_line_count(pair.new)
  local above = hunk[3] <= line_count
  api.nvim_buf_set_extmark(pair.new, namespace, above and hunk[3] - 1 or line_count - 1, 0, {
    virt_lines = lines,
    virt_lines_above = above,
  })
end

--- A line as a buffer would show it, as wide as a screen so that its background is.
function M.as_shown(line, tabstop)
  local text = line:sub(1, MOST_BYTES_OF_LINE)
  local width, parts, at = 0, {}, 1
  while true do
    local tab = text:find('\t', at, true)
    local part = vim.fn.strtrans((text:sub(at, (tab or 0) - 1):gsub('%z', '\n')))
    parts[#parts + 1] = part
    width = width + vim.fn.strdisplaywidth(part)
    if not tab then
      break
    end
    local gap = tabstop - width % tabstop
    parts[#parts + 1] = (' '):rep(gap)
    width = width + gap
    at = tab + 1
  end
  parts[#parts + 1] = (' '):rep(math.max(vim.o.columns - width, 0))
  return table.concat(parts)
end

function M.mark_missing_end(pair, side)
  local buffer = pair[side]
  local lines = api.nvim_buf_line_count(buffer)
  local is_empty = lines == 1 and api.nvim_buf_get_lines(buffer, 0, 1, false)[1] == ''
  if vim.bo[buffer].endofline or is_empty then
    return
  end
  api.nvim_buf_set_extmark(buffer, namespace, lines - 1, 0, {
    virt_text = { { ' no newline at the end', 'HawserHint' } },
  })
end

return M
