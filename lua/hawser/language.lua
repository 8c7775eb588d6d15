-- Asks language servers for the bridge. Nothing here waits: answers are sent as the event `language`.
local compat = require('hawser.compat')
local documents = require('hawser.documents')
local stamps = require('hawser.stamps')
local utf16 = require('hawser.utf16')

local M = {}

local api = vim.api

--- The capability that announces each method.
local PROVIDERS = {
  ['textDocument/definition'] = 'definitionProvider',
  ['textDocument/references'] = 'referencesProvider',
  ['textDocument/hover'] = 'hoverProvider',
  ['textDocument/documentSymbol'] = 'documentSymbolProvider',
  ['textDocument/rename'] = 'renameProvider',
  ['textDocument/codeAction'] = 'codeActionProvider',
  ['workspace/symbol'] = 'workspaceSymbolProvider',
}

--- What is asked of a language server.
---@class hawser.LanguageQuery
---@field path? string
---@field position? integer[]
---@field range? integer[]
---@field kinds? string[]
---@field name? string
---@field text? string

---@class hawser.LanguageAnswer
---@field encoding? string
---@field result? any
---@field problem? string

--- The requests that have not been answered, by token: functions that cancel them.
---@type table<integer, fun()?>
local cancels = {}

---@param client table
---@param method string
---@param buf? integer
---@return boolean
local function supports(client, method, buf)
  return (client.server_capabilities or {})[PROVIDERS[method]] and true
    or compat.lsp_has_registered(client, method, buf)
end

---@param method string
---@param buf? integer
---@return table[]
local function clients_for(method, buf)
  local all = vim.tbl_filter(function(client)
    return supports(client, method, buf)
  end, compat.lsp_clients(buf))
  table.sort(all, function(one, other)
    return one.id < other.id
  end)
  return all
end

---@param client table
---@return string
local function encoding_of(client)
  return client.offset_encoding or 'utf-16'
end

--- A column in the units of a language server.
---@param client table
---@param line string
---@param byte integer
---@return integer
local function column(client, line, byte)
  local encoding = encoding_of(client)
  if encoding == 'utf-8' then
    return byte
  end
  return encoding == 'utf-32' and vim.fn.strchars(line:sub(1, byte)) or utf16.from_byte(line, byte)
end

---@param client table
---@param buf integer
---@param row integer
---@param units integer
---@return { line: integer, character: integer }
local function position(client, buf, row, units)
  local line = api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
  return { line = row, character = column(client, line, utf16.to_byte(line, units)) }
end

--- The problems that this server, or any, has found in these rows, for a request for code actions.
---@param client table
---@param buf integer
---@param first integer
---@param last integer
---@return table[]
local function diagnostics_in(client, buf, first, last)
  local found = {}
  for _, each in ipairs(vim.diagnostic.get(buf)) do
    local end_row = each.end_lnum or each.lnum
    if each.lnum <= last and end_row >= first then
      local raw = type(each.user_data) == 'table' and each.user_data.lsp or {}
      local line = api.nvim_buf_get_lines(buf, each.lnum, each.lnum + 1, false)[1] or ''
      local end_line = api.nvim_buf_get_lines(buf, end_row, end_row + 1, false)[1] or ''
      found[#found + 1] = {
        range = {
          start = { line = each.lnum, character = column(client, line, each.col or 0) },
          ['end'] = { line = end_row, character = column(client, end_line, each.end_col or each.col or 0) },
        },
        message = each.message,
        severity = each.severity,
        source = each.source,
        code = each.code or raw.code,
        data = raw.data,
      }
    end
  end
  return found
end

---@param client table
---@param method string
---@param buf? integer
---@param query hawser.LanguageQuery
---@return table
local function params_for(client, method, buf, query)
  local params = { query = query.text, newName = query.name }
  if buf then
    params.textDocument = { uri = vim.uri_from_bufnr(buf) }
  end
  if buf and query.position then
    params.position = position(client, buf, query.position[1], query.position[2])
  end
  if buf and query.range then
    local row, units, end_row, end_units = unpack(query.range)
    params.range = { start = position(client, buf, row, units), ['end'] = position(client, buf, end_row, end_units) }
    params.context = {
      diagnostics = diagnostics_in(client, buf, row, end_row),
      only = query.kinds,
      triggerKind = 1,
    }
  end
  if method == 'textDocument/references' then
    params.context = { includeDeclaration = true }
  end
  return params
end

---@param problem any
---@return string
local function error_text(problem)
  return type(problem) == 'table' and problem.message or tostring(problem)
end

--- Sends one request. `done` is called once with { encoding, result } or { problem }; returns a function that cancels.
---@param client table
---@param method string
---@param params table
---@param buf? integer
---@param done fun(answer: hawser.LanguageAnswer)
---@return fun() cancel
local function request(client, method, params, buf, done)
  local sent, id = compat.lsp_call(client, 'request', method, params, function(problem, result)
    if problem then
      done({ problem = error_text(problem) })
    else
      done({ encoding = encoding_of(client), result = result == nil and vim.NIL or result })
    end
  end, buf or 0)
  if not sent then
    done({ problem = ('%s has ended'):format(client.name) })
    return function() end
  end
  return function()
    pcall(compat.lsp_call, client, 'cancel_request', id)
  end
end

--- Servers may leave the edit of a code action out until they are asked for it.
---@param client table
---@param buf? integer
---@param answer hawser.LanguageAnswer
---@param note fun(cancel: fun())
---@param done fun(answer: hawser.LanguageAnswer)
local function resolve_actions(client, buf, answer, note, done)
  local provider = client.server_capabilities.codeActionProvider
  local resolves = type(provider) == 'table' and provider.resolveProvider
  local actions = type(answer.result) == 'table' and answer.result or {}
  local waiting = 1
  local function finish_one()
    waiting = waiting - 1
    if waiting == 0 then
      done(answer)
    end
  end
  for index, action in ipairs(resolves and actions or {}) do
    if index <= M.max_resolved and type(action.command) ~= 'string' and not action.edit and not action.disabled then
      waiting = waiting + 1
      note(request(client, 'codeAction/resolve', action, buf, function(resolved)
        if type(resolved.result) == 'table' then
          actions[index] = resolved.result
        end
        finish_one()
      end))
    end
  end
  finish_one()
end

--- More actions than this are not asked for their edits.
M.max_resolved = 50

--- A language server starts when a file is read, and can be asked a while later.
local START_MS = 3000
local LOOK_MS = 50

---@param method string
---@param query hawser.LanguageQuery
---@return string
local function none_for(method, query)
  return ('No language server offers %s%s'):format(method, query.path and ' for ' .. query.path or '')
end

--- Code actions and symbols of the workspace come from every server that has them, the rest from the first.
---@param token integer
---@param method string
---@param query hawser.LanguageQuery
---@param buf? integer
---@param clients table[]
local function send(token, method, query, buf, clients)
  local is_action = method == 'textDocument/codeAction'
  if not is_action and method ~= 'workspace/symbol' then
    clients = { clients[1] }
  end
  local answers, waiting, stops = {}, #clients, {}
  local function note(stop)
    stops[#stops + 1] = stop
  end
  cancels[token] = function()
    for _, stop in ipairs(stops) do
      stop()
    end
  end
  for _, client in ipairs(clients) do
    local function done(answer)
      answers[#answers + 1] = answer
      waiting = waiting - 1
      if waiting == 0 and cancels[token] then
        cancels[token] = nil
        require('hawser.channel').notify('language', token, answers)
      end
    end
    note(request(client, method, params_for(client, method, buf, query), buf, function(answer)
      if is_action and not answer.problem then
        resolve_actions(client, buf, answer, note, done)
      else
        done(answer)
      end
    end))
  end
end

---@param token integer
---@param method string
---@param query hawser.LanguageQuery
---@param buf integer
local function wait_for_server(token, method, query, buf)
  local function look()
    if not cancels[token] then
      return
    end
    local clients = api.nvim_buf_is_valid(buf) and clients_for(method, buf) or {}
    if #clients > 0 then
      send(token, method, query, buf, clients)
    elseif (stamps.age_ms(buf) or START_MS) < START_MS then
      vim.defer_fn(look, LOOK_MS)
    else
      cancels[token] = nil
      require('hawser.channel').notify('language', token, { { problem = none_for(method, query) } })
    end
  end
  cancels[token] = function() end
  vim.defer_fn(look, LOOK_MS)
end

--- Sends a request with what its method needs; the answer comes as the event `language` with this token.
---@param token integer
---@param method string
---@param query hawser.LanguageQuery
function M.ask(token, method, query)
  if not PROVIDERS[method] then
    documents.fail('Unknown request to a language server: %s', tostring(method))
  end
  local buf = query.path and documents.get(query.path) or nil
  if buf and not api.nvim_buf_is_loaded(buf) then
    vim.fn.bufload(buf)
  end
  local clients = clients_for(method, buf)
  if #clients > 0 then
    send(token, method, query, buf, clients)
  elseif buf and (stamps.age_ms(buf) or START_MS) < START_MS then
    wait_for_server(token, method, query, buf)
  else
    documents.fail('%s', none_for(method, query))
  end
end

---@param token integer
function M.cancel(token)
  local cancel = cancels[token]
  cancels[token] = nil
  if cancel then
    cancel()
  end
end

--- The lines of a document that is loaded; nil for any other file.
---@param path string
---@return string[]?
function M.lines(path)
  local buf = documents.find(path)
  return buf and api.nvim_buf_is_loaded(buf) and api.nvim_buf_get_lines(buf, 0, -1, false) or nil
end

return M
