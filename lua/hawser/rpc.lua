-- The editor protocol (docs/editor-protocol.md) on a channel of Neovim. Its messages are those of JSON-RPC; Neovim
-- carries them as msgpack, and never waits for an answer.
local compat = require('hawser.compat')
local documents = require('hawser.documents')

local M = {}

--- The bridge's own codes are in the specification; these are JSON-RPC's.
local METHOD_NOT_FOUND, INTERNAL_ERROR = -32601, -32603

---@class hawser.RpcError
---@field code integer
---@field message string A sentence for users

---@class hawser.RpcMessage
---@field id? integer
---@field method? string
---@field params? table
---@field result? any
---@field error? hawser.RpcError

--- A request of the bridge. A handler that answers it later calls `later` and then `respond`.
---@class hawser.RpcRequest
---@field later fun(cancel: fun()) `cancel` is called if the answer is no longer needed
---@field respond fun(result?: any, problem?: string) Called once

--- Of the bridge; nil while there is none.
---@type integer?
local channel
local last_id = 0
--- The bridge on this channel has answered: it sends nothing before.
local has_answered = false
--- Who waits for answers of the bridge, by id.
---@type table<integer, fun(problem?: hawser.RpcError, result?: any)>
local waiting = {}
--- The requests of the bridge that are answered later, by id.
---@type table<integer, fun()>
local cancels = {}

--- False when there is no bridge to receive it.
---@param message hawser.RpcMessage
---@return boolean
local function send(message)
  if not channel then
    return false
  end
  local ok = pcall(vim.rpcnotify, channel, 'hawser', message)
  if not ok then
    M.close()
  end
  return ok
end

--- From now on messages go to this channel.
---@param id integer
function M.open(id)
  M.close()
  channel = id
end

function M.close()
  channel, has_answered, waiting = nil, false, {}
  local all = cancels
  cancels = {}
  for _, cancel in pairs(all) do
    cancel()
  end
end

--- False when there is no bridge to receive it.
---@param method string
---@param params? table
---@return boolean
function M.notify(method, params)
  return send({ method = method, params = params or vim.empty_dict() })
end

--- Asks the bridge. The callback gets an error or the result; it is never called when the bridge ends before.
---@param method string
---@param params table
---@param callback fun(problem?: hawser.RpcError, result?: any)
---@return boolean
function M.request(method, params, callback)
  last_id = last_id + 1
  waiting[last_id] = callback
  return send({ id = last_id, method = method, params = params })
end

---@param id integer
---@param result? any
---@param problem? hawser.RpcError
local function answer(id, result, problem)
  if problem then
    send({ id = id, error = problem })
  else
    send({ id = id, result = result == nil and vim.NIL or result })
  end
end

---@param params table
---@return boolean
local function is_late(params)
  local seconds, microseconds = compat.uv.gettimeofday()
  return type(params.deadline) == 'number' and seconds * 1000 + microseconds / 1000 > params.deadline
end

---@param id integer
---@param handler fun(params: table, request: hawser.RpcRequest): any
---@param params table
local function handle(id, handler, params)
  local is_later = false
  local ok, result = pcall(handler, params, {
    later = function(cancel)
      is_later, cancels[id] = true, cancel
    end,
    respond = function(value, problem)
      if cancels[id] then
        cancels[id] = nil
        answer(id, value, problem and { code = INTERNAL_ERROR, message = problem })
      end
    end,
  })
  if not ok then
    cancels[id] = nil
    answer(id, nil, { code = INTERNAL_ERROR, message = documents.words_of(result) })
  elseif not is_later then
    answer(id, result)
  end
end

---@param message hawser.RpcMessage
local function settle(message)
  local callback = waiting[message.id]
  waiting[message.id] = nil
  if callback then
    has_answered = true
    local problem = message.error ~= vim.NIL and message.error or nil
    callback(problem, message.result ~= vim.NIL and message.result or nil)
  end
end

--- The bridge calls this with each of its messages.
---@param message hawser.RpcMessage
function M.receive(message)
  local id, method = message.id, message.method
  if not method then
    settle(message)
    return
  elseif not has_answered then
    -- What a bridge has sent before its end can be read after that, and after the start of the next one.
    return
  end
  local params = type(message.params) == 'table' and message.params or {}
  if method == '$/cancelRequest' then
    local cancel = cancels[params.id]
    cancels[params.id] = nil
    if cancel then
      cancel()
    end
    return
  end
  local handler = require('hawser.requests')[method]
  if id and not handler then
    answer(id, nil, { code = METHOD_NOT_FOUND, message = 'Unknown request: ' .. method })
  elseif id and is_late(params) then
    answer(id, nil, { code = INTERNAL_ERROR, message = 'Too late' })
  elseif id then
    handle(id, handler, params)
  elseif handler then
    local ok, problem = pcall(handler, params)
    if not ok then
      require('hawser.message').say(documents.words_of(problem), 'ERROR')
    end
  end
end

return M
