-- Runs an agent in a terminal beside the text, so that it finds this Neovim and no other.
local M = {}

local SPLITS = {
  left = 'topleft vsplit',
  right = 'botright vsplit',
  top = 'topleft split',
  bottom = 'botright split',
  tab = 'tab split',
}

--- Loopback is never reached through a proxy.
local function without_proxy(given)
  local hosts = {}
  for host in (given or ''):gmatch('[^,%s]+') do
    hosts[#hosts + 1] = host
  end
  for _, host in ipairs({ 'localhost', '127.0.0.1', '::1' }) do
    if not vim.tbl_contains(hosts, host) then
      hosts[#hosts + 1] = host
    end
  end
  return table.concat(hosts, ',')
end

--- What an agent has to know to find us.
function M.environment(port)
  local hosts = without_proxy(vim.env.NO_PROXY or vim.env.no_proxy)
  return {
    CLAUDE_CODE_SSE_PORT = tostring(port),
    ENABLE_IDE_INTEGRATION = 'true',
    NO_PROXY = hosts,
    no_proxy = hosts,
  }
end

--- The words of the command: those given, or those of the options. Claude Code connects only when it is asked to.
function M.command(words, options)
  local command = {}
  if #words > 0 then
    vim.list_extend(command, words)
  else
    vim.list_extend(command, type(options.command) == 'table' and options.command or { options.command })
    vim.list_extend(command, options.args)
  end
  local is_claude = vim.fn.fnamemodify(command[1], ':t') == 'claude'
  if is_claude and not vim.tbl_contains(command, '--ide') then
    table.insert(command, 2, '--ide')
  end
  return command
end

local function open_window(options)
  local split = SPLITS[options.position]
  if options.position == 'left' or options.position == 'right' then
    split = split:gsub('vsplit', math.floor(vim.o.columns * options.size) .. 'vsplit')
  elseif options.position ~= 'tab' then
    split = split:gsub('split', math.floor(vim.o.lines * options.size) .. 'split')
  end
  vim.cmd(split)
end

local function run(command, options)
  if vim.fn.has('nvim-0.11') == 1 then
    options.term = true
    return vim.fn.jobstart(command, options)
  end
  return vim.fn.termopen(command, options)
end

function M.open(words)
  local bridge = require('hawser.bridge')
  local status = bridge.status()
  if status.phase ~= 'running' then
    vim.notify('Hawser: the bridge does not run; :HawserStart starts it', vim.log.levels.WARN)
    return
  end
  local options = bridge.options().agent
  local command = M.command(words, options)
  if vim.fn.executable(command[1]) == 0 then
    vim.notify(('Hawser: there is no command %s'):format(command[1]), vim.log.levels.WARN)
    return
  end
  open_window(options)
  vim.cmd('enew')
  vim.bo.bufhidden = 'hide'
  run(command, { env = M.environment(status.port), cwd = vim.fn.getcwd(-1, 0) })
  vim.bo.buflisted = false
  vim.cmd('startinsert')
end

return M
