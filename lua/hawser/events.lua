-- User autocommands: `User Hawser*`, and for some of them `User ClaudeCode*`, as other plugins for Claude Code have.
local compat = require('hawser.compat')

local M = {}

local function client_info(data)
  return { clientInfo = data }
end

local function file_path(data)
  return { filePath = data.path }
end

--- The other name of an event, and its data there.
---@type table<string, { [1]: string, [2]: fun(data: table): table? }>
local TWINS = {
  HawserStarted = {
    'ClaudeCodeServerStarted',
    function(data)
      return { port = data.port }
    end,
  },
  HawserStopped = { 'ClaudeCodeServerStopped', function() end },
  HawserAgentConnected = { 'ClaudeCodeClientConnected', client_info },
  HawserAgentDisconnected = { 'ClaudeCodeClientDisconnected', client_info },
  HawserProposalAccepted = { 'ClaudeCodeDiffAccepted', file_path },
  HawserProposalRejected = { 'ClaudeCodeDiffRejected', file_path },
}

--- Until the autocommands have run, the data is in `g:hawser_event`, too: it is all that Vim script has, and Lua before
--- Neovim 0.8.
---@param name string
---@param data? table
local function run(name, data)
  vim.g.hawser_event = { name = name, data = data or vim.empty_dict() }
  local ok, problem = pcall(compat.exec_user_autocmds, name, data)
  vim.g.hawser_event = nil
  if not ok then
    require('hawser.message').say(('an autocommand for %s failed: %s'):format(name, problem), 'WARN')
  end
end

--- Runs the autocommands for `User {name}` when Neovim has finished its current work.
---@param name string
---@param data? table
function M.fire(name, data)
  vim.schedule(function()
    run(name, data)
    local twin = TWINS[name]
    if twin then
      run(twin[1], twin[2](data or {}))
    end
  end)
end

--- How many of each kind of agent are ready.
---@param clients hawser.Client[]
---@return table<string, integer> counts
---@return table<string, { name: string, version?: string }> infos
local function ready_in(clients)
  local counts, infos = {}, {}
  for _, client in ipairs(clients) do
    if client.state == 'ready' then
      local key = client.name .. ' ' .. (client.version or '')
      counts[key] = (counts[key] or 0) + 1
      infos[key] = { name = client.name, version = client.version }
    end
  end
  return counts, infos
end

--- Fires an event for each agent that has become ready, or has gone.
---@param before hawser.Client[]
---@param now hawser.Client[]
function M.fire_client_changes(before, now)
  local old, old_infos = ready_in(before)
  local new, new_infos = ready_in(now)
  local function fire(event, more, fewer, infos)
    for key, count in pairs(more) do
      for _ = (fewer[key] or 0) + 1, count do
        M.fire(event, infos[key])
      end
    end
  end
  fire('HawserAgentConnected', new, old, new_infos)
  fire('HawserAgentDisconnected', old, new, old_infos)
end

return M
