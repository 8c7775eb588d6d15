-- What is selected, in the units of agents: lines from 0, UTF-16 columns, the end not included.
local documents = require('hawser.documents')
local utf16 = require('hawser.utf16')

local M = {}

local api = vim.api
local line_at = documents.line_at

---@class hawser.Position
---@field line integer From 0
---@field character integer From 0, in UTF-16 units

--- The end is not included.
---@alias hawser.Range { start: hawser.Position, end: hawser.Position }

---@class hawser.Selection
---@field uri? string
---@field range hawser.Range
---@field text string Empty for a cursor

--- More text than this is cut off, and the range with it: copying it would take too long.
local MAX_BYTES = 1024 * 1024
local MAX_BLOCK_LINES = 2000

local VISUAL = { v = 'v', s = 'v', V = 'V', S = 'V', ['\22'] = '\22', ['\19'] = '\22' }

--- `v`, `V` or `^V` in visual and select mode; nil in others.
---@param mode string
---@return 'v'|'V'|'\22'|nil
local function visual_kind(mode)
  return VISUAL[mode:sub(1, 1)]
end

---@param buf integer
---@param row integer
---@param byte integer
---@return hawser.Position
local function position(buf, row, byte)
  return { line = row, character = utf16.from_byte(line_at(buf, row), byte) }
end

--- The character at a byte, with its combining marks, as the cursor covers it.
---@param line string
---@param byte integer
---@return string
local function character_at(line, byte)
  return vim.fn.matchstr(line, '.', byte)
end

--- Row and byte of what does not exceed the limit.
---@param buf integer
---@param row integer
---@param byte integer
---@param end_row integer
---@param end_byte integer
---@return integer end_row
---@return integer end_byte
local function cut(buf, row, byte, end_row, end_byte)
  local start = api.nvim_buf_get_offset(buf, row)
  while end_row > row and api.nvim_buf_get_offset(buf, end_row) - start > MAX_BYTES do
    end_row = row + math.floor((end_row - row) / 2)
    end_byte = 0
  end
  local line = line_at(buf, end_row)
  local first = end_row == row and byte or 0
  if end_byte - first > MAX_BYTES then
    end_byte = first + MAX_BYTES
    while end_byte > first and line:sub(end_byte + 1):match('^[\128-\191]') do
      end_byte = end_byte - 1
    end
  end
  return end_row, end_byte
end

---@param buf integer
---@param from integer[]
---@param to integer[]
---@return hawser.Selection
local function charwise(buf, from, to)
  local row, byte = from[1], from[2]
  local end_row, end_byte = to[1], to[2]
  byte = math.min(byte, #line_at(buf, row))
  local line = line_at(buf, end_row)
  local line_end = documents.line_end(buf)
  local takes_line_end = false
  if vim.o.selection ~= 'exclusive' then
    takes_line_end = end_byte >= #line
    end_byte = end_byte + #character_at(line, end_byte)
  end
  end_byte = math.min(end_byte, #line)
  local is_last = end_row + 1 == api.nvim_buf_line_count(buf)
  takes_line_end = takes_line_end and not (is_last and not documents.has_final_line_end(buf))
  local kept_row, kept_byte = cut(buf, row, byte, end_row, end_byte)
  takes_line_end = takes_line_end and kept_row == end_row and kept_byte == end_byte
  local lines = api.nvim_buf_get_text(buf, row, byte, kept_row, kept_byte, {})
  return {
    range = {
      start = position(buf, row, byte),
      ['end'] = takes_line_end and { line = end_row + 1, character = 0 } or position(buf, kept_row, kept_byte),
    },
    text = table.concat(lines, line_end) .. (takes_line_end and line_end or ''),
  }
end

---@param buf integer
---@param from integer[]
---@param to integer[]
---@return hawser.Selection
local function linewise(buf, from, to)
  local end_row, end_byte = cut(buf, from[1], 0, to[1], #line_at(buf, to[1]))
  local lines = api.nvim_buf_get_text(buf, from[1], 0, end_row, end_byte, {})
  return {
    range = { start = { line = from[1], character = 0 }, ['end'] = position(buf, end_row, end_byte) },
    text = table.concat(lines, documents.line_end(buf)),
  }
end

--- The cells, from 0, that the character at a byte covers.
---@param line string
---@param byte integer
---@return integer first
---@return integer last
local function cells(line, byte)
  local first = vim.fn.strdisplaywidth(line:sub(1, byte))
  local width = vim.fn.strdisplaywidth(character_at(line, byte), first)
  return first, first + math.max(width, 1) - 1
end

--- The bytes of a line that lie in the columns of a block.
---@param line string
---@param left integer
---@param right number
---@return integer first
---@return integer last
local function slice(line, left, right)
  local first, last
  local byte, cell = 0, 0
  while byte < #line and cell <= right do
    local character = character_at(line, byte)
    local width = vim.fn.strdisplaywidth(character, cell)
    if cell + width > left then
      first = first or byte
      last = byte + #character
    end
    byte, cell = byte + math.max(#character, 1), cell + width
  end
  return first or math.min(byte, #line), last or math.min(byte, #line)
end

--- The text is the block's; the range is the smallest that holds it.
---@param buf integer
---@param from integer[]
---@param to integer[]
---@param to_line_ends boolean
---@return hawser.Selection
local function blockwise(buf, from, to, to_line_ends)
  local left, right = math.huge, 0
  for _, at in ipairs({ from, to }) do
    local first, last = cells(line_at(buf, at[1]), at[2])
    left, right = math.min(left, first), math.max(right, last)
  end
  right = to_line_ends and math.huge or right
  local end_row = math.min(to[1], from[1] + MAX_BLOCK_LINES - 1)
  local pieces, first_byte, last_byte = {}, 0, 0
  for row = from[1], end_row do
    local line = line_at(buf, row)
    local first, last = slice(line, left, right)
    first_byte = row == from[1] and first or first_byte
    last_byte = last
    pieces[#pieces + 1] = line:sub(first + 1, last)
  end
  return {
    range = { start = position(buf, from[1], first_byte), ['end'] = position(buf, end_row, last_byte) },
    text = table.concat(pieces, documents.line_end(buf)),
  }
end

--- Between two places as `getpos` gives them, in whichever order.
---@param buf integer
---@param kind 'v'|'V'|'\22'
---@param one integer[]
---@param other integer[]
---@return hawser.Selection
local function between(buf, kind, one, other)
  local last_row = api.nvim_buf_line_count(buf) - 1
  local a = { math.min(one[2] - 1, last_row), math.max(one[3] - 1, 0) }
  local b = { math.min(other[2] - 1, last_row), math.max(other[3] - 1, 0) }
  if b[1] < a[1] or (b[1] == a[1] and b[2] < a[2]) then
    a, b = b, a
  end
  local found
  if kind == 'V' then
    found = linewise(buf, a, b)
  elseif kind == '\22' then
    found = blockwise(buf, a, b, vim.fn.winsaveview().curswant >= 2147483647)
  else
    found = charwise(buf, a, b)
  end
  found.uri = documents.uri_of(buf)
  return found
end

--- What visual mode has just left, from its marks: they are set before ModeChanged comes.
---@param old_mode string
---@return hawser.Selection?
function M.left(old_mode)
  local buf = api.nvim_get_current_buf()
  local kind = visual_kind(old_mode)
  if not kind or not documents.is_document(buf) then
    return nil
  end
  local one, other = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  if one[2] == 0 or other[2] == 0 then
    return nil
  end
  return between(buf, kind, one, other)
end

--- Where the cursor of a window is.
---@param win integer
---@return hawser.Selection
function M.cursor(win)
  local buf = api.nvim_win_get_buf(win)
  local at = api.nvim_win_get_cursor(win)
  local place = position(buf, at[1] - 1, at[2])
  return { uri = documents.uri_of(buf), range = { start = place, ['end'] = place }, text = '' }
end

--- In the current window, which shows a document.
---@return hawser.Selection
function M.current()
  local kind = visual_kind(api.nvim_get_mode().mode)
  if not kind then
    return M.cursor(api.nvim_get_current_win())
  end
  return between(api.nvim_get_current_buf(), kind, vim.fn.getpos('v'), vim.fn.getpos('.'))
end

return M
