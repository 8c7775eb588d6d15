-- What the bridge asks of Neovim, by the methods of the editor protocol. A handler takes the parameters of the message,
-- and returns the result or throws a message for users. docs/editor-protocol-messages.md describes each.
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
local fail, words_of = documents.fail, documents.words_of

--- The requests of LSP that are answered here.
M.language_methods = {
  'textDocument/definition',
  'textDocument/references',
  'textDocument/hover',
  'textDocument/documentSymbol',
  'textDocument/rename',
  'textDocument/codeAction',
  'workspace/symbol',
}

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
    local line = documents.line_at(buf, last)
    -- The empty line after a final line end: the line end of the last line stands for it.
    return last, #line, documents.has_final_line_end(buf)
  end
  row = math.max(row, 0)
  local line = documents.line_at(buf, row)
  return row, utf16.to_byte(line, math.max(units, 0)), false
end

---@param win integer
---@param range hawser.Range
local function select_in(win, range)
  local buf = api.nvim_win_get_buf(win)
  local row, byte = place_in(buf, range.start.line, range.start.character)
  local end_row, end_byte, past = place_in(buf, range['end'].line, range['end'].character)
  if end_row < row or (end_row == row and end_byte < byte) then
    row, byte, end_row, end_byte, past = end_row, end_byte, row, byte, false
  end
  windows.select(win, { row, byte }, { end_row, end_byte }, past)
end

--- The document that a message is about.
---@param params { uri: string }
---@return integer buf
---@return string path
local function document(params)
  local path = documents.path_in(params.uri)
  return documents.get(path), path
end

---@param params { uri: string, takeFocus: boolean, selection?: hawser.Range }
---@return { success: boolean }
M['window/showDocument'] = function(params)
  local path = documents.path_in(params.uri)
  local buf = documents.find(path) or vim.fn.bufadd(path)
  documents.load(buf)
  vim.bo[buf].buflisted = true
  if params.takeFocus then
    local win = windows.show(buf)
    documents.set_active(buf)
    if params.selection then
      select_in(win, params.selection)
    end
    channel.now('documents', 'selection')
    if win ~= api.nvim_get_current_win() and documents.active() == buf then
      channel.send_selection(require('hawser.selection').cursor(win))
    end
  end
  channel.now('documents')
  return { success = true }
end

---@param params { uri: string, text: string, isNewFile: boolean, expected?: string }
M['editor/writeText'] = function(params)
  local expected = not params.isNewFile and (params.expected or '') or nil
  require('hawser.write').run(documents.path_in(params.uri), params.text, expected)
end

---@param params { uri: string }
M['editor/save'] = function(params)
  local buf, path = document(params)
  local name = api.nvim_buf_get_name(buf)
  if name == '' then
    fail('It has no file yet: %s', path)
  end
  if not vim.bo[buf].modified then
    return
  end
  -- Neovim would ask the user, and everything would wait for the answer.
  local known = stamps.known(buf)
  if uv.fs_stat(name) and known and known.key ~= stamps.now(buf).key then
    fail('The file has changed on disk since it was read: %s', path)
  end
  local write = require('hawser.write')
  write.check_writable(buf, path)
  local problem = write.save(buf)
  channel.now('documents')
  if problem then
    fail('%s: %s', problem, path)
  end
end

---@param params { uri: string }
M['editor/close'] = function(params)
  local buf, path = document(params)
  if vim.bo[buf].modified then
    fail('%s has unsaved text', path)
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
---@param params { uri: string }
---@return { text: string }
M['editor/format'] = function(params)
  local buf, path = document(params)
  documents.load(buf)
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
  return { text = documents.text_of(buf, lines) }
end

--- Brings buffers up to date with their files, where those have changed.
---@param params { changes: { uri: string }[] }
M['workspace/didChangeWatchedFiles'] = function(params)
  local problems = {}
  for _, change in ipairs(params.changes) do
    local buf = documents.find(documents.path_in(change.uri))
    if buf and api.nvim_buf_is_loaded(buf) then
      local ok, problem = pcall(require('hawser.reload').run, buf)
      problems[#problems + 1] = not ok and words_of(problem) or nil
    end
  end
  if #problems > 0 then
    fail('%s', table.concat(problems, '; '))
  end
end

local LEVELS = { 'ERROR', 'WARN', 'INFO' }

---@param params { type: integer, message: string }
M['window/showMessage'] = function(params)
  message.say(params.message, LEVELS[params.type])
end

---@param status hawser.BridgeStatus
M['bridge/status'] = function(status)
  require('hawser.bridge').on_status(status)
end

-- The rest is loaded when it is needed first.
for _, method in ipairs(M.language_methods) do
  M[method] = function(params, request)
    require('hawser.language').ask(method, params, request)
  end
end
for _, name in ipairs({ 'show', 'update', 'progress', 'close' }) do
  M['proposal/' .. name] = function(params)
    return require('hawser.proposals')[name](params)
  end
end

return M
