-- What differs between a buffer and its file, and how the buffer gets it.
local compat = require('hawser.compat')
local documents = require('hawser.documents')
local stamps = require('hawser.stamps')

local M = {}

local api = vim.api

--- What a buffer is to hold, and what differs from what it holds.
---@class hawser.FileChanges
---@field lines string[]
---@field bomb boolean
---@field endofline boolean
---@field hunks? integer[][]
---@field is_cut? boolean The end of the buffer's text is not in it

local MAX_BYTES = 8 * 1024 * 1024
local BOM = '\239\187\191'

--- Whether an autocommand writes the file in place of Neovim.
---@param buf integer
---@return boolean
local function has_writer(buf)
  local name = api.nvim_buf_get_name(buf)
  local tail = vim.fn.fnamemodify(name, ':t')
  for _, autocmd in ipairs(api.nvim_get_autocmds({ event = 'BufWriteCmd' })) do
    ---@cast autocmd { pattern: string, buflocal?: boolean, buffer?: integer }
    local pattern = not autocmd.buflocal and vim.regex(vim.fn.glob2regpat(autocmd.pattern))
    if autocmd.buffer == buf or pattern and (pattern:match_str(name) or pattern:match_str(tail)) then
      return true
    end
  end
  return false
end

--- Whether the text of a buffer is that of its file as it was read, rather than something else,
--- for example deciphered by an autocommand. Only the sizes are compared: it is asked often.
---@param buf integer
---@return boolean
local function is_plain(buf)
  local options, known = vim.bo[buf], stamps.known(buf)
  local encoding = options.fileencoding
  if not known or known.is_guess or known.is_other_text or options.buftype ~= '' or options.binary then
    return false
  end
  if options.fileformat == 'mac' or (encoding ~= '' and encoding ~= 'utf-8') then
    return false
  end
  local before_last = api.nvim_buf_line_count(buf) - 1
  local last = documents.line_at(buf, before_last)
  local end_size = #documents.line_end(buf)
  -- Neovim counts one byte for the end of a line, and for the first line of a blank buffer it gives no number.
  local before = before_last > 0 and api.nvim_buf_get_offset(buf, before_last) + before_last * (end_size - 1) or 0
  local size = before + #last + (options.bomb and #BOM or 0)
  return (known.size == size or known.size == size + end_size) and not has_writer(buf)
end

--- The text of the file, its lines ended as in the buffer; nil when only Neovim can tell what it says.
---@param buf integer
---@return string?
function M.text_of(buf)
  local file = is_plain(buf) and io.open(api.nvim_buf_get_name(buf), 'rb')
  if not file then
    return nil
  end
  local text = file:read(MAX_BYTES + 1) or ''
  file:close()
  if #text > MAX_BYTES or text:find('%z') then
    return nil
  end
  if vim.bo[buf].fileformat == 'dos' then
    text = text:gsub('\r\n', '\n')
  end
  return text
end

--- What has to be done to a buffer so that it holds this text; nil when it does.
---@param buf integer
---@param text string
---@return hawser.FileChanges?
function M.to(buf, text)
  local has_bom = text:sub(1, #BOM) == BOM
  if has_bom then
    text = text:sub(#BOM + 1)
  end
  local lines, is_ended = documents.split(text, '\n')
  return M.between(buf, { lines = lines, bomb = has_bom, endofline = is_ended or text == '' })
end

--- Completes `target` with what has to be done to a buffer; nil when nothing has.
---@param buf integer
---@param target hawser.FileChanges
---@return hawser.FileChanges?
function M.between(buf, target)
  local old = api.nvim_buf_get_lines(buf, 0, -1, false)
  local old_text, new_text = table.concat(old, '\n') .. '\n', table.concat(target.lines, '\n') .. '\n'
  target.hunks = {}
  if old_text == new_text then
    local options = vim.bo[buf]
    local is_same = options.bomb == target.bomb and options.endofline == target.endofline
    return not is_same and target or nil
  end
  target.hunks = compat.diff_indices(old_text, new_text)
  local last = target.hunks[#target.hunks]
  target.is_cut = old_text ~= '\n' and last[2] > 0 and last[1] + last[2] > #old
  return target
end

--- Changes only the lines that differ, so that everything attached to the others stays. The buffer counts as saved.
---@param buf integer
---@param changes hawser.FileChanges
function M.apply(buf, changes)
  local options = vim.bo[buf]
  local modifiable, readonly = options.modifiable, options.readonly
  options.modifiable, options.readonly = true, false
  -- Otherwise undo would lead to a text that Neovim takes for the file's.
  options.modified = true
  -- One undo step, apart from what the user typed before.
  options.undolevels = options.undolevels
  local ok, problem = pcall(function()
    for index = #changes.hunks, 1, -1 do
      local old_start, old_count, new_start, new_count = unpack(changes.hunks[index])
      -- A hunk that removes nothing inserts after the line it names.
      local first = old_count == 0 and old_start or old_start - 1
      local from = new_count == 0 and new_start + 1 or new_start
      local lines = vim.list_slice(changes.lines, from, from + new_count - 1)
      api.nvim_buf_set_lines(buf, first, first + old_count, false, lines)
    end
    options.bomb, options.endofline = changes.bomb, changes.endofline
  end)
  options.undolevels = options.undolevels
  options.modified = false
  options.modifiable, options.readonly = modifiable, readonly
  if not ok then
    error(problem, 0)
  end
end

return M
