-- Replaces the text of a file through its buffer, as one change that can be undone, and saves it.
local channel = require('hawser.channel')
local documents = require('hawser.documents')
local file_changes = require('hawser.file_changes')

local M = {}

local api = vim.api
local uv = require('hawser.compat').uv
local fail = documents.fail

---@alias hawser.FileFormat 'unix'|'dos'|'mac'

--- How Neovim has to end the lines of a text to write exactly that.
---@param text string
---@param own hawser.FileFormat For a text without a line end
---@return hawser.FileFormat
function M.format_for(text, own)
  if not text:find('\n', 1, true) then
    return own
  end
  return (text:byte(1) == 10 or text:find('[^\r]\n')) and 'unix' or 'dos'
end

---@param buf integer
---@param text string
---@param format hawser.FileFormat
local function set_text(buf, text, format)
  local lines, is_ended = documents.split(text, documents.LINE_ENDS[format])
  local changes = file_changes.between(buf, { lines = lines, bomb = vim.bo[buf].bomb, endofline = is_ended })
  if changes then
    file_changes.apply(buf, changes)
  end
  if vim.bo[buf].fileformat ~= format then
    vim.bo[buf].fileformat = format
  end
end

--- Fails for a file that is read-only, also for root.
---@param buf integer
---@param path string
function M.check_writable(buf, path)
  local permissions = vim.fn.getfperm(api.nvim_buf_get_name(buf))
  if vim.bo[buf].readonly or (permissions ~= '' and not permissions:find('w')) then
    fail('Read-only: %s', path)
  end
end

--- Writes a buffer, and returns what was wrong with that.
---@param buf integer
---@return string? problem
function M.save(buf)
  local ok, problem = pcall(api.nvim_buf_call, buf, function()
    vim.cmd('silent write')
  end)
  if not ok then
    return documents.words_of(problem)
  end
  return api.nvim_buf_is_valid(buf) and vim.bo[buf].modified and 'It was not written' or nil
end

--- The same, exactly as it is. Neovim keeps the old file until the new one is complete.
---@param buf integer
---@return string? problem
local function save_exactly(buf)
  local fixes, keeps = vim.bo[buf].fixendofline, vim.o.writebackup
  vim.bo[buf].fixendofline, vim.o.writebackup = false, true
  local problem = M.save(buf)
  vim.o.writebackup = keeps
  if api.nvim_buf_is_valid(buf) then
    vim.bo[buf].fixendofline = fixes
  end
  return problem
end

--- Brings a buffer up to date with its file, and fails if that is not what the caller expects.
---@param buf integer
---@param path string
---@param expected? string
local function check(buf, path, expected)
  local exists = uv.fs_stat(api.nvim_buf_get_name(buf)) ~= nil
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
  if documents.text_of(buf) ~= expected then
    fail('The file has changed: %s', path)
  end
  M.check_writable(buf, path)
end

---@param buf integer
---@param path string
---@param text string
---@param expected? string
local function replace(buf, path, text, expected)
  if not api.nvim_buf_is_loaded(buf) then
    documents.load(buf)
  elseif vim.bo[buf].modified then
    fail('%s has unsaved text', path)
  end
  check(buf, path, expected)
  if not vim.bo[buf].modifiable then
    fail('It can not be changed (nomodifiable): %s', path)
  end
  if expected == nil then
    vim.fn.mkdir(vim.fn.fnamemodify(path, ':h'), 'p')
  end
  local before, format = documents.text_of(buf), vim.bo[buf].fileformat
  set_text(buf, text, M.format_for(text, format))
  local problem = save_exactly(buf)
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
