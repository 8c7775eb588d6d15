-- Sends the bridge what happens in Neovim, so that it knows before an agent asks.
local compat = require('hawser.compat')
local diagnostics = require('hawser.diagnostics')
local documents = require('hawser.documents')
local folders = require('hawser.folders')
local rpc = require('hawser.rpc')
local selection = require('hawser.selection')

local M = {}

local api = vim.api
local uv = compat.uv

local GROUP = 'HawserChannel'

---@alias hawser.Sent 'folders'|'documents'|'diagnostics'|'selection'

local is_attached = false
---@type uv.uv_timer_t
local timer
--- For the cursor, which moves often.
---@type uv.uv_timer_t
local still_timer
local first_move, last_move = 0, 0
local MAX_MOVING_MS = 1000
--- Those at the start.
---@type hawser.Options
local options
--- What is sent when the timer ends.
---@type table<hawser.Sent, boolean?>
local due = {}
---@type table<integer, boolean>
local changed_diagnostics = {}
--- The addresses of buffers whose problems were sent.
---@type table<integer, string?>
local diagnosed = {}
--- What was sent last.
local sent = {}
--- Until when, in milliseconds, a selection that was left is kept, so that the bridge can pass it on.
local stands_until = 0
local STANDS_MS = 60
--- Buffers whose changes are followed.
---@type table<integer, boolean?>
local attached = {}

--- Unless the bridge knows it.
---@param method string
---@param params table
local function send(method, params)
  if not vim.deep_equal(sent[method], params) then
    sent[method] = params
    rpc.notify(method, params)
  end
end

--- Also for a document that is shown without being entered.
---@param found? hawser.Selection
function M.send_selection(found)
  if options and options.track_selection then
    send('editor/didChangeSelection', found or vim.empty_dict())
  end
end

---@param paths string[]
---@return { uri: string }[]
function M.workspace_folders(paths)
  return vim.tbl_map(function(path)
    return { uri = vim.uri_from_fname(path) }
  end, paths)
end

---@type fun()
local when_still

---@param buf integer
local function listen_to(buf)
  if attached[buf] or not api.nvim_buf_is_loaded(buf) then
    return
  end
  -- BufModifiedSet comes for the current buffer alone; other programs change others too.
  attached[buf] = api.nvim_buf_attach(buf, false, {
    on_lines = function()
      if not is_attached then
        attached[buf] = nil
        return true
      end
      M.soon('documents')
      if buf == api.nvim_get_current_buf() then
        when_still()
      end
    end,
    on_detach = function()
      attached[buf] = nil
    end,
  }) or nil
end

---@param buf integer
local function send_diagnostics(buf)
  local file = diagnostics.of(buf)
  diagnosed[buf] = file and #file.diagnostics > 0 and file.uri or nil
  if file then
    rpc.notify('textDocument/publishDiagnostics', file)
  end
end

---@type table<hawser.Sent, fun()>
local senders = {
  documents = function()
    for _, buf in ipairs(documents.buffers()) do
      listen_to(buf)
    end
    send('editor/didChangeDocuments', { documents = documents.list() })
  end,
  selection = function()
    if not options.track_selection then
      return
    end
    local active = documents.active()
    local found = nil
    if active then
      if active ~= api.nvim_get_current_buf() then
        return
      end
      found = selection.current()
    end
    local left_ms = stands_until - uv.now()
    if left_ms > 0 and (found == nil or found.text == '') then
      M.soon('selection', left_ms)
      return
    end
    M.send_selection(found)
  end,
  folders = function()
    local paths = folders.list(options.language_server_folders)
    send('editor/didChangeFolders', { workspaceFolders = M.workspace_folders(paths) })
  end,
  diagnostics = function()
    local changed = changed_diagnostics
    changed_diagnostics = {}
    for buf in pairs(changed) do
      send_diagnostics(buf)
    end
  end,
}

local function flush()
  if not is_attached then
    return
  end
  timer:stop()
  local now = due
  due = {}
  for _, what in ipairs({ 'folders', 'documents', 'diagnostics', 'selection' }) do
    if now[what] then
      senders[what]()
    end
  end
end

--- Sends it after the debounce time, as it is by then: the last state is never left out.
---@param what hawser.Sent
---@param delay_ms? integer
function M.soon(what, delay_ms)
  if not is_attached then
    return
  end
  due[what] = true
  if not timer:is_active() then
    timer:start(delay_ms or options.selection.debounce_ms, 0, vim.schedule_wrap(flush))
  end
end

--- While the cursor moves, sends about once a second; then once more when it rests.
function when_still()
  if not is_attached then
    return
  end
  local now = uv.now()
  if still_timer:is_active() then
    last_move = now
    return
  end
  first_move, last_move = now, now
  still_timer:start(options.selection.debounce_ms, 0, M.check_still)
end

--- Runs in the event loop: the time is only looked at, and the main loop is not woken.
function M.check_still()
  local now = uv.now()
  local rest_ms = options.selection.debounce_ms - (now - last_move)
  if rest_ms > 0 and now - first_move < MAX_MOVING_MS then
    still_timer:start(rest_ms, 0, M.check_still)
    return
  end
  vim.schedule(function()
    if is_attached then
      due.selection = true
      flush()
    end
  end)
end

local is_scheduled = false

--- Sends it when Neovim has finished its current work; for events that are rare.
---@param what hawser.Sent
local function next_moment(what)
  due[what] = true
  if not is_scheduled then
    is_scheduled = true
    vim.schedule(function()
      is_scheduled = false
      flush()
    end)
  end
end

--- Sends it before anything else.
---@param ... hawser.Sent
function M.now(...)
  for _, what in ipairs({ ... }) do
    due[what] = true
  end
  flush()
end

--- A selection that ends at once, for example with `viwy`.
local function send_left()
  if not options.track_selection then
    return
  end
  local left = selection.left(vim.v.event.old_mode --[[@as string]])
  if left and left.text ~= '' then
    -- The bridge must know the document first, which may have been opened just now.
    if due.documents then
      due.documents = nil
      senders.documents()
    end
    M.send_selection(left)
    uv.update_time()
    stands_until = uv.now() + STANDS_MS
  end
  M.soon('selection')
end

---@param events string|string[]
---@param callback fun(event: table)
---@param pattern? string
local function on(events, callback, pattern)
  api.nvim_create_autocmd(events, { group = GROUP, callback = callback, pattern = pattern })
end

local function watch()
  api.nvim_create_augroup(GROUP, { clear = true })
  ---@param events string[]
  ---@param ... hawser.Sent
  local function when(events, ...)
    local what = { ... }
    on(vim.tbl_filter(compat.has_event, events), function()
      for _, each in ipairs(what) do
        next_moment(each)
      end
    end)
  end
  on({ 'CursorMoved', 'CursorMovedI', 'TextChanged', 'TextChangedI' }, when_still)
  when({ 'BufEnter', 'WinEnter', 'TabEnter' }, 'selection', 'documents', 'folders')
  when({ 'BufAdd', 'BufNew', 'BufReadPost', 'BufModifiedSet', 'FileType', 'BufUnload' }, 'documents')
  when({ 'BufDelete', 'BufWipeout', 'BufHidden' }, 'documents', 'selection')
  when({ 'DirChanged', 'LspAttach', 'LspDetach', 'VimEnter' }, 'folders')
  on({ 'BufWritePost', 'BufFilePost', 'BufNewFile' }, function(event)
    documents.forget(event.buf)
    next_moment('documents')
  end)
  on({ 'BufWritePost' }, function(event)
    if documents.is_document(event.buf) then
      rpc.notify('editor/didSave', { uri = documents.uri_of(event.buf) })
    end
  end)
  on({ 'BufWipeout' }, function(event)
    documents.forget(event.buf)
    -- No event says that its problems have gone with it.
    if diagnosed[event.buf] then
      rpc.notify('textDocument/publishDiagnostics', { uri = diagnosed[event.buf], diagnostics = {} })
      diagnosed[event.buf] = nil
    end
  end)
  on({ 'ModeChanged' }, send_left, '[vV\22sS\19]*:*')
  on({ 'ModeChanged' }, function()
    M.soon('selection')
  end, '*:[vV\22sS\19]*')
  on({ 'DiagnosticChanged' }, function(event)
    changed_diagnostics[event.buf] = true
    M.soon('diagnostics')
  end)
end

--- Starts sending to a bridge: first all that is the case now.
---@param known_folders { uri: string }[] Those of `initialize`
function M.attach(known_folders)
  M.detach()
  is_attached, options = true, require('hawser.options').current()
  timer, still_timer = assert(uv.new_timer()), assert(uv.new_timer())
  sent, diagnosed = { ['editor/didChangeFolders'] = { workspaceFolders = known_folders } }, {}
  watch()
  senders.documents()
  local active = documents.active()
  if active and active == api.nvim_get_current_buf() then
    M.send_selection(selection.current())
  end
  for _, buf in ipairs(diagnostics.buffers()) do
    send_diagnostics(buf)
  end
  M.soon('folders')
end

function M.detach()
  if not is_attached then
    return
  end
  is_attached = false
  api.nvim_create_augroup(GROUP, { clear = true })
  for _, each in ipairs({ timer, still_timer }) do
    each:stop()
    each:close()
  end
  due, changed_diagnostics = {}, {}
end

return M
