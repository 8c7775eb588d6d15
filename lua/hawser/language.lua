-- Asks language servers for the bridge. Nothing here waits: the bridge gets its answer when the servers have given
-- theirs. Columns are UTF-16 units on the way to the bridge and from it, whatever the server counts in.
local columns = require('hawser.columns')
local compat = require('hawser.compat')
local documents = require('hawser.documents')
local stamps = require('hawser.stamps')
local utf16 = require('hawser.utf16')

local M = {}

local api = vim.api

--- More code actions than this are not asked for their edits.
local MAX_RESOLVED = 50

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

---@class hawser.LanguageAnswer
---@field result? any
---@field problem? string

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
---@param at hawser.Position
---@return hawser.Position
local function position(client, buf, at)
  local line = documents.line_at(buf, at.line)
  return { line = at.line, character = column(client, line, utf16.to_byte(line, at.character)) }
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
      local line = documents.line_at(buf, each.lnum)
      local end_line = documents.line_at(buf, end_row)
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

--- The parameters of a request in the units of a server.
---@param client table
---@param buf? integer
---@param given table
---@return table
local function params_for(client, buf, given)
  local params = vim.tbl_extend('force', {}, given)
  if not buf then
    return params
  end
  params.textDocument = { uri = vim.uri_from_bufnr(buf) }
  params.position = given.position and position(client, buf, given.position)
  local range = given.range
  if range then
    params.range = { start = position(client, buf, range.start), ['end'] = position(client, buf, range['end']) }
    params.context = {
      diagnostics = diagnostics_in(client, buf, range.start.line, range['end'].line),
      only = (given.context or {}).only,
      triggerKind = 1,
    }
  end
  return params
end

--- Sends one request. `done` is called once with { result } or { problem }; returns a function that cancels.
---@param client table
---@param method string
---@param params table
---@param buf? integer
---@param done fun(answer: hawser.LanguageAnswer)
---@return fun() cancel
local function ask_client(client, method, params, buf, done)
  local sent, id = compat.lsp_call(client, 'request', method, params, function(problem, result)
    if problem then
      done({ problem = documents.words_of(problem) })
    else
      done({ result = result == nil and vim.NIL or result })
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
    if index <= MAX_RESOLVED and type(action.command) ~= 'string' and not action.edit and not action.disabled then
      waiting = waiting + 1
      note(ask_client(client, 'codeAction/resolve', action, buf, function(resolved)
        if type(resolved.result) == 'table' then
          actions[index] = resolved.result
        end
        finish_one()
      end))
    end
  end
  finish_one()
end

--- A language server starts when a file is read, and can be asked a while later.
local START_MS = 3000
local LOOK_MS = 50

--- What the servers have answered as one answer: lists are joined; a problem counts if there is nothing else.
---@param answers hawser.LanguageAnswer[]
---@param is_list boolean
---@param request hawser.RpcRequest
local function respond(answers, is_list, request)
  local good = vim.tbl_filter(function(each)
    return not each.problem
  end, answers)
  if #good == 0 then
    request.respond(nil, answers[1].problem)
  elseif not is_list then
    request.respond(good[1].result)
  else
    local all = {}
    for _, each in ipairs(good) do
      vim.list_extend(all, type(each.result) == 'table' and each.result or {})
    end
    request.respond(all)
  end
end

--- Code actions and symbols of the workspace come from every server that has them, the rest from the first.
---@param method string
---@param params table
---@param buf? integer
---@param clients table[]
---@param request hawser.RpcRequest
local function send(method, params, buf, clients, request)
  local is_action = method == 'textDocument/codeAction'
  local is_list = is_action or method == 'workspace/symbol'
  if not is_list then
    clients = { clients[1] }
  end
  local answers, waiting, stops = {}, #clients, {}
  local function note(stop)
    stops[#stops + 1] = stop
  end
  request.later(function()
    for _, stop in ipairs(stops) do
      stop()
    end
  end)
  for _, client in ipairs(clients) do
    local function done(answer)
      columns.to_utf16(answer.result, encoding_of(client), params.textDocument and params.textDocument.uri)
      answers[#answers + 1] = answer
      waiting = waiting - 1
      if waiting == 0 then
        respond(answers, is_list, request)
      end
    end
    note(ask_client(client, method, params_for(client, buf, params), buf, function(answer)
      if is_action and not answer.problem then
        resolve_actions(client, buf, answer, note, done)
      else
        done(answer)
      end
    end))
  end
end

--- Answers a request of LSP, as soon as a server for the buffer has started.
---@param method string
---@param params table
---@param request hawser.RpcRequest
function M.ask(method, params, request)
  local path = params.textDocument and documents.path_in(params.textDocument.uri)
  local buf = path and documents.get(path) or nil
  if buf then
    vim.fn.bufload(buf)
  end
  local is_wanted = true
  request.later(function()
    is_wanted = false
  end)
  local function look()
    if not is_wanted then
      return
    end
    local clients = (not buf or api.nvim_buf_is_valid(buf)) and clients_for(method, buf) or {}
    if #clients > 0 then
      send(method, params, buf, clients, request)
    elseif buf and (stamps.age_ms(buf) or START_MS) < START_MS then
      vim.defer_fn(look, LOOK_MS)
    else
      request.respond(nil, ('No language server offers %s%s'):format(method, path and ' for ' .. path or ''))
    end
  end
  look()
end

return M
