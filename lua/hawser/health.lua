-- :checkhealth hawser
local M = {}

local health = vim.health or {}

--- 0.7 has these names only, 0.12 has the others only.
local function report(new, old)
  return health[new] or health[old] or require('health')[old]
end

local start = report('start', 'report_start')
local ok = report('ok', 'report_ok')
local info = report('info', 'report_info')
local warn = report('warn', 'report_warn')
local problem = report('error', 'report_error')

local function check_node(bridge)
  local node = bridge.options().node
  if vim.fn.executable(node) == 0 then
    problem(('There is no %s'):format(node), { 'Install Node 20.19 or newer, or set the option node' })
    return
  end
  local answer = vim.fn.system({ node, '--version' })
  local why = bridge.node_problem(answer)
  if why then
    problem(why)
  else
    ok(('Node is %s'):format(vim.trim(answer)))
  end
end

local function check_build(bridge)
  if vim.fn.filereadable(bridge.program()) == 1 then
    ok('The bridge is built')
  else
    problem('The bridge is not built', { 'Run `npm run build` in ' .. bridge.root() })
  end
end

local function check_bridge(bridge)
  local status = bridge.status()
  if status.phase == 'running' then
    ok(('The bridge runs as %s at %s'):format(status.name, status.address))
    if status.lock and vim.fn.filereadable(status.lock) == 1 then
      ok('Its lock file is ' .. status.lock)
    else
      problem('Its lock file is missing, so no agent finds it', { ':HawserRestart writes it anew' })
    end
  elseif status.phase == 'failed' then
    problem('The bridge does not run: ' .. (status.problem or 'unknown'), { ':HawserLog may say why' })
  else
    warn('The bridge does not run (' .. status.phase .. ')', { ':HawserStart starts it' })
  end
  if status.paused then
    warn('Paused: agents see nothing', { ':HawserPause lets them in again' })
  end
  for _, client in ipairs(status.clients) do
    info(('Agent: %s %s, %s'):format(client.name, client.version or '', client.state))
  end
end

local function check_surroundings()
  local config = vim.env.CLAUDE_CONFIG_DIR
  if config and config ~= '' then
    info('CLAUDE_CONFIG_DIR is ' .. config .. ': agents must have the same, or they look for locks elsewhere')
  end
  local proxy = vim.env.HTTP_PROXY or vim.env.http_proxy or vim.env.HTTPS_PROXY or vim.env.https_proxy
  local direct = vim.env.NO_PROXY or vim.env.no_proxy or ''
  if proxy and proxy ~= '' and not direct:find('127.0.0.1', 1, true) then
    warn('There is a proxy, and NO_PROXY lacks 127.0.0.1', {
      'Agents started with :HawserAgent get it; for others: export NO_PROXY=localhost,127.0.0.1',
    })
  end
  local command = require('hawser.bridge').options().agent.command
  local program = type(command) == 'table' and command[1] or command
  if vim.fn.executable(program) == 1 then
    ok(('The agent is %s'):format(vim.fn.exepath(program)))
  else
    info(('There is no %s here for :HawserAgent'):format(program))
  end
end

function M.check()
  local bridge = require('hawser.bridge')
  start('hawser')
  check_node(bridge)
  check_build(bridge)
  check_bridge(bridge)
  check_surroundings()
end

return M
