-- Replaces the text of a file through its buffer, as one change that can be undone, and saves it.
local channel = require('hawser.channel')
local documents = require('hawser.documents')
local file_changes = require('hawser.file_changes')

local M = {}

local api = vim.api
local uv = require('hawser.compat').uv
local fail = documents.fail

local SEPARATORS = { unix = '\n', dos = '\r\n', mac = '\r' }

--- What saving the buffer would write, without a byte order mark.
---@param buf integer
---@return string
local function text_of(buf)
  local line_end = documents.line_end(buf)
  local text = table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), line_end)
  return text .. (documents.has_final_line_end(buf) and line_end or '')
end

--- 'crlf' when every line ends so, 'none' when there is no line end at all, otherwise 'other'.
---@param text string
---@return 'crlf'|'none'|'other'
function M.line_ends(text)
  if not text:find('\n', 1, true) then
    return 'none'
  end
  return (text:byte(1) == 10 or text:find('[^\r]\n')) and 'other' or 'crlf'
end

--- How Neovim has to end the lines of a text to write exactly that.
---@param buf integer
---@param text string
---@return 'unix'|'dos'|'mac'
local function format_for(buf, text)
  local ends = M.line_ends(text)
  return ends == 'crlf' and 'dos' or ends == 'none' and vim.bo[buf].fileformat or 'unix'
end

---@param buf integer
---@param text string
---@param format 'unix'|'dos'|'mac'
local function set_text(buf, text, format)
  local lines = vim.split(text, SEPARATORS[format], { plain = true })
  local has_final_line_end = #lines > 1 and lines[#lines] == ''
  if has_final_line_end then
    lines[#lines] = nil
  end
  local target = { lines = lines, bomb = vim.bo[buf].bomb, endofline = has_final_line_end }
  local changes = file_changes.between(buf, target)
  if changes then
    file_changes.apply(buf, changes)
  end
  if vim.bo[buf].fileformat ~= format then
    vim.bo[buf].fileformat = format
  end
end

--- Writes exactly what is in the buffer. Neovim keeps the old file until the new one is complete.
---@param buf integer
---@return string? problem
local function save(buf)
  local fixes, keeps = vim.bo[buf].fixendofline, vim.o.writebackup
  vim.bo[buf].fixendofline, vim.o.writebackup = false, true
  local ok, problem = pcall(api.nvim_buf_call, buf, function()
    vim.cmd('silent write')
  end)
  vim.o.writebackup = keeps
  if api.nvim_buf_is_valid(buf) then
    vim.bo[buf].fixendofline = fixes
    if ok and vim.bo[buf].modified then
      return 'It was not written'
    end
  end
  return not ok and documents.words_of(problem) or nil
end

--- Brings a buffer up to date with its file, and fails if that is not what the caller expects.
---@param buf integer
---@param path string
---@param expected? string
local function check(buf, path, expected)
  local name = api.nvim_buf_get_name(buf)
  local exists = uv.fs_stat(name) ~= nil
  if expected == nil then
    if exists then
      fail('Another program has made this file in the meantime: %s', path)
    end
    return
  end
  if not exists then
    fail('The file was deleted: %s', path)
  end
  require('hawser.reload').before_writing(buf)
  if text_of(buf) ~= expected then
    fail('The file is not what it was: %s', path)
  end
  if vim.bo[buf].readonly or not vim.fn.getfperm(name):find('w') then
    fail('Read-only: %s', path)
  end
end

---@param buf integer
---@param path string
---@param text string
---@param expected? string
local function replace(buf, path, text, expected)
  if not api.nvim_buf_is_loaded(buf) then
    documents.load(buf)
  elseif vim.bo[buf].modified then
    fail('It has unsaved text: %s', path)
  end
  check(buf, path, expected)
  if not vim.bo[buf].modifiable then
    fail('It can not be changed (nomodifiable): %s', path)
  end
  if expected == nil then
    vim.fn.mkdir(vim.fn.fnamemodify(path, ':h'), 'p')
  end
  local before, format = text_of(buf), vim.bo[buf].fileformat
  set_text(buf, text, format_for(buf, text))
  local problem = save(buf)
  if problem then
    if api.nvim_buf_is_valid(buf) then
      set_text(buf, before, format)
      vim.bo[buf].modified = false
    end
    fail('%s: %s', problem, path)
  end
end

---@param path string
---@param text string
---@param expected? string What the file is to hold before; nil for a file that must not exist
function M.run(path, text, expected)
  local all = api.nvim_list_bufs()
  local buf = documents.find(path) or vim.fn.bufadd(path)
  local ok, problem = pcall(replace, buf, path, text, expected)
  if ok then
    vim.bo[buf].buflisted = true
  elseif not vim.tbl_contains(all, buf) and api.nvim_buf_is_valid(buf) then
    pcall(api.nvim_buf_delete, buf, { force = true })
  end
  channel.now('documents')
  if not ok then
    error(problem, 0)
  end
end

return M
