-- What the bridge can ask of Neovim. Each function takes plain values and returns one, or throws a message for users.
local channel = require('hawser.channel')
local compat = require('hawser.compat')
local documents = require('hawser.documents')
local message = require('hawser.message')
local stamps = require('hawser.stamps')
local utf16 = require('hawser.utf16')
local windows = require('hawser.windows')

local M = {}

local api = vim.api
local uv = compat.uv
local FORMAT_TIMEOUT_MS = 5000
local fail, load, words_of = documents.fail, documents.load, documents.words_of

--- The nearest place in the text, as row and byte.
---@param buf integer
---@param row integer
---@param units integer
---@return integer row
---@return integer byte
---@return boolean is_past
local function place_in(buf, row, units)
  local last = api.nvim_buf_line_count(buf) - 1
  if row > last then
    local line = api.nvim_buf_get_lines(buf, last, last + 1, false)[1] or ''
    -- The empty line after a final line end: the line end of the last line stands for it.
    return last, #line, documents.has_final_line_end(buf)
  end
  row = math.max(row, 0)
  local line = api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
  return row, utf16.to_byte(line, math.max(units, 0)), false
end

---@param win integer
---@param range integer[]
local function select_in(win, range)
  local buf = api.nvim_win_get_buf(win)
  local row, byte = place_in(buf, range[1], range[2])
  local end_row, end_byte, past = place_in(buf, range[3], range[4])
  if end_row < row or (end_row == row and end_byte < byte) then
    row, byte, end_row, end_byte, past = end_row, end_byte, row, byte, false
  end
  windows.select(win, { row, byte }, { end_row, end_byte }, past)
end

---@param path string
---@param range? integer[]
---@param in_background boolean
---@return hawser.Document
function M.open_file(path, range, in_background)
  local buf = documents.find(path) or vim.fn.bufadd(path)
  if not api.nvim_buf_is_loaded(buf) then
    load(buf)
  end
  vim.bo[buf].buflisted = true
  if not in_background then
    local win = windows.show(buf)
    documents.set_active(buf)
    if range then
      select_in(win, range)
    end
    channel.now('documents', 'selection')
    if win ~= api.nvim_get_current_win() and documents.active() == buf then
      channel.send_selection(require('hawser.selection').cursor(win))
    end
  end
  channel.now('documents')
  return documents.describe(buf)
end

---@param path string
---@param range integer[]
function M.set_selection(path, range)
  local buf = documents.get(path)
  if not api.nvim_buf_is_loaded(buf) then
    load(buf)
  end
  local win = windows.show(buf)
  documents.set_active(buf)
  select_in(win, range)
  channel.now('documents', 'selection')
end

---@param path string
---@param text string
---@param expected? string
function M.write_text(path, text, expected)
  require('hawser.write').run(path, text, expected)
end

---@param path string
function M.save(path)
  local buf = documents.get(path)
  local name = api.nvim_buf_get_name(buf)
  if name == '' then
    fail('It has no file yet: %s', path)
  end
  if not vim.bo[buf].modified then
    return
  end
  local stat = uv.fs_stat(name)
  -- Neovim would ask the user, and everything would wait for the answer.
  local known = stamps.known(buf)
  if stat and known and known.key ~= stamps.now(buf).key then
    fail('The file has changed on disk since it was read: %s', path)
  end
  if vim.bo[buf].readonly or (stat and not vim.fn.getfperm(name):find('w')) then
    fail('Read-only: %s', path)
  end
  local ok, problem = pcall(api.nvim_buf_call, buf, function()
    vim.cmd('silent write')
  end)
  channel.now('documents')
  if not ok then
    fail('%s: %s', words_of(problem), path)
  end
  if vim.bo[buf].modified then
    fail('It was not written: %s', path)
  end
end

---@param path string
function M.close_file(path)
  local buf = documents.get(path)
  if vim.bo[buf].modified then
    fail('It has unsaved text: %s', path)
  end
  windows.leave(buf)
  local ok, problem = pcall(api.nvim_command, 'bdelete ' .. buf)
  channel.now('documents', 'selection')
  if not ok then
    fail('%s: %s', words_of(problem), path)
  end
end

---@param buf integer
---@return table?
local function formatter(buf)
  for _, client in ipairs(compat.lsp_clients(buf)) do
    if client.server_capabilities.documentFormattingProvider then
      return client
    end
  end
  return nil
end

--- Options that 'gq' and language servers look at.
local FORMAT_OPTIONS = { 'formatprg', 'formatoptions', 'textwidth', 'shiftwidth', 'tabstop', 'expandtab', 'comments' }

--- What the formatter makes of a buffer. The buffer stays as it is: the user reviews the change.
---@param path string
---@return string
function M.format(path)
  local buf = documents.get(path)
  if not api.nvim_buf_is_loaded(buf) then
    load(buf)
  end
  local client = formatter(buf)
  local prg = vim.bo[buf].formatprg ~= '' or vim.go.formatprg ~= ''
  if not client and not prg then
    fail("No language server formats it and 'formatprg' is empty: %s", path)
  end
  local copy = api.nvim_create_buf(false, true)
  for _, name in ipairs(FORMAT_OPTIONS) do
    vim.bo[copy][name] = vim.bo[buf][name]
  end
  api.nvim_buf_set_lines(copy, 0, -1, false, api.nvim_buf_get_lines(buf, 0, -1, false))
  local ok, problem = pcall(function()
    if client then
      local edits = compat.lsp_formatting(client, buf, FORMAT_TIMEOUT_MS)
      vim.lsp.util.apply_text_edits(edits, copy, client.offset_encoding or 'utf-16')
    else
      api.nvim_buf_call(copy, function()
        vim.cmd('silent keepjumps normal! gggqG')
      end)
    end
  end)
  local lines = api.nvim_buf_get_lines(copy, 0, -1, false)
  api.nvim_buf_delete(copy, { force = true })
  if not ok then
    fail('%s: %s', words_of(problem), path)
  end
  local line_end = documents.line_end(buf)
  return table.concat(lines, line_end) .. (documents.has_final_line_end(buf) and line_end or '')
end

--- Brings buffers up to date with their files, where those have changed.
---@param paths string[]
function M.reload(paths)
  local problems = {}
  for _, path in ipairs(paths) do
    local buf = documents.find(path)
    if buf and api.nvim_buf_is_loaded(buf) then
      local ok, problem = pcall(require('hawser.reload').run, buf)
      problems[#problems + 1] = not ok and words_of(problem) or nil
    end
  end
  if #problems > 0 then
    fail('%s', table.concat(problems, '; '))
  end
end

--- Answered by the event `language` with this token.
---@param token integer
---@param method string
---@param query hawser.LanguageQuery
function M.ask_language(token, method, query)
  require('hawser.language').ask(token, method, query)
end

---@param token integer
function M.cancel_language(token)
  require('hawser.language').cancel(token)
end

---@param path string
---@return string[]?
function M.lines(path)
  return require('hawser.language').lines(path)
end

--- The functions of the diff views, which need not be loaded before the first proposal.
for _, name in ipairs({ 'show_proposal', 'refresh_proposal', 'set_hunks', 'refuse_stale', 'close_proposal' }) do
  M[name] = function(...)
    require('hawser.proposals')[name](...)
  end
end

---@param status hawser.BridgeStatus
function M.status(status)
  require('hawser.bridge').on_status(status)
end

---@param level string
---@param text string
function M.message(level, text)
  message.say(text, level)
end

--- The only entry. After `deadline`, a time in milliseconds, the bridge no longer waits, so nothing is done. 0: none.
---@param name string
---@param deadline number
---@param ... any
---@return { value?: any, problem?: string }
function M.call(name, deadline, ...)
  local seconds, microseconds = uv.gettimeofday()
  if deadline > 0 and seconds * 1000 + microseconds / 1000 > deadline then
    return { problem = 'Too late' }
  end
  local handler = M[name]
  if name == 'call' or type(handler) ~= 'function' then
    return { problem = 'Unknown request: ' .. tostring(name) }
  end
  local args, count = { ... }, select('#', ...)
  for index = 1, count do
    if args[index] == vim.NIL then
      args[index] = nil
    end
  end
  local ok, result = pcall(handler, unpack(args, 1, count))
  if not ok then
    return { problem = words_of(result) }
  end
  return { value = result == nil and vim.NIL or result }
end

--- For the bridge, once it has found its channel.
---@param id integer
---@return table
function M.attach(id)
  return require('hawser.bridge').on_attach(id)
end

return M
