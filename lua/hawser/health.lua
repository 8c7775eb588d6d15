-- :checkhealth hawser
local bridge = require('hawser.bridge')
local compat = require('hawser.compat')
local health = compat.health()
local options = require('hawser.options')
local program = require('hawser.program')

local M = {}

local function check_neovim()
  local version = vim.version()
  local name = ('%d.%d.%d'):format(version.major, version.minor, version.patch)
  if vim.fn.has('nvim-0.7.2') == 0 then
    health.error(('Neovim is %s, and 0.7.2 or newer is needed'):format(name))
  else
    health.ok(('Neovim is %s; 0.7.2 or newer is needed'):format(name))
  end
  if not compat.has_winbar then
    health.info('Before 0.8 the bar of a proposal is in its status line')
  end
end

local function check_help()
  if #vim.fn.getcompletion('hawser.txt', 'help') > 0 then
    health.ok(':help hawser is there')
  else
    health.warn(':help hawser is missing', { 'Run `npm run build` in ' .. program.root() .. ', or :helptags ALL' })
  end
end

local function check_node()
  local node = options.current().node
  if vim.fn.executable(node) == 0 then
    health.error(('There is no %s'):format(node), { 'Install Node 20.19 or newer, or set the option node' })
    return
  end
  local answer = vim.fn.system({ node, '--version' })
  local why = program.node_problem(answer)
  if why then
    health.error(why)
  else
    health.ok(('Node is %s'):format(vim.trim(answer)))
  end
end

local function check_build()
  if vim.fn.filereadable(program.path()) == 1 then
    health.ok('The bridge is built')
  else
    health.error('The bridge is not built', { 'Run `npm run build` in ' .. program.root() })
  end
end

---@param status hawser.Status
local function check_bridge(status)
  if status.phase == 'running' then
    health.ok(('The bridge runs as %s at %s'):format(status.name, status.address))
    if status.lock and vim.fn.filereadable(status.lock) == 1 then
      health.ok('Its lock file is ' .. status.lock)
    else
      health.error('Its lock file is missing, so no agent finds it', { ':Hawser restart writes it anew' })
    end
  elseif status.phase == 'failed' then
    health.error('The bridge does not run: ' .. (status.problem or 'unknown'), { ':Hawser log may say why' })
  else
    health.warn('The bridge does not run (' .. status.phase .. ')', { ':Hawser start starts it' })
  end
  if status.paused then
    health.warn('Paused: agents see nothing', { ':Hawser pause resumes sharing' })
  end
  for _, client in ipairs(status.clients) do
    health.info(('Connected: %s %s, %s'):format(client.name, client.version or '', client.state))
  end
end

--- Whether the changes of each agent are reviewed, as far as the bridge knows.
---@param status hawser.Status
local function check_reviews(status)
  for _, agent in ipairs(status.agents or {}) do
    local review = agent.review
    local text = ('%s: %s'):format(agent.name, review.sentence)
    if review.kind == 'yes' then
      health.ok(text)
    elseif agent.isConnected then
      health.warn(text, review.todo and { review.todo })
    else
      health.info(text .. (review.todo and ' ' .. review.todo or ''))
    end
  end
end

local function check_surroundings()
  local config = vim.env.CLAUDE_CONFIG_DIR
  if config and config ~= '' then
    health.info('CLAUDE_CONFIG_DIR is ' .. config .. ': agents must have the same, or they look for locks elsewhere')
  end
  local proxy = vim.env.HTTP_PROXY or vim.env.http_proxy or vim.env.HTTPS_PROXY or vim.env.https_proxy
  local direct = vim.env.NO_PROXY or vim.env.no_proxy or ''
  if proxy and proxy ~= '' and not direct:find('127.0.0.1', 1, true) then
    health.warn('There is a proxy, and NO_PROXY lacks 127.0.0.1', {
      'Agents started with :Hawser agent get it; for others: export NO_PROXY=localhost,127.0.0.1',
    })
  end
  local command = options.current().agent.command
  local agent = type(command) == 'table' and command[1] or command --[[@as string]]
  if vim.fn.executable(agent) == 1 then
    health.ok((':Hawser agent runs %s'):format(vim.fn.exepath(agent)))
  else
    health.info(('There is no %s here for :Hawser agent'):format(agent))
  end
end

function M.check()
  local status = bridge.status()
  health.start('hawser')
  check_neovim()
  check_help()
  check_node()
  check_build()
  check_bridge(status)
  check_reviews(status)
  check_surroundings()
end

return M
