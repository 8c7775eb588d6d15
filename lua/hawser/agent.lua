-- Runs an agent in a terminal beside the text, so that it finds this Neovim and no other.
local message = require('hawser.message')

local M = {}

local api = vim.api

local SPLITS = {
  left = 'topleft vsplit',
  right = 'botright vsplit',
  top = 'topleft split',
  bottom = 'botright split',
  tab = 'tab split',
}

--- The terminal that the command shows and hides: { buf, job }.
local terminal

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

--- What this agent needs besides the environment of the adapters: { args, environment }.
local function launch_of(command, launches)
  return (launches or {})[vim.fn.fnamemodify(command[1], ':t')] or { args = {}, environment = {} }
end

--- What an agent needs to find us: what the bridge says, no proxy, and what the options add.
function M.environment(command, status, added)
  local hosts = without_proxy(vim.env.NO_PROXY or vim.env.no_proxy)
  local own = launch_of(command, status.launches).environment
  return vim.tbl_extend('force', { NO_PROXY = hosts, no_proxy = hosts }, status.environment or {}, own, added or {})
end

--- Words that begin with a dash are flags for the configured agent, others are another command.
function M.command(words, options, launches)
  local command = {}
  if #words == 0 or words[1]:sub(1, 1) == '-' then
    vim.list_extend(command, type(options.command) == 'table' and options.command or { options.command })
    vim.list_extend(command, options.args)
  end
  vim.list_extend(command, words)
  for index, word in ipairs(launch_of(command, launches).args) do
    if not vim.tbl_contains(command, word) then
      table.insert(command, index + 1, word)
    end
  end
  return command
end

local function open_float(buf, options)
  local width = math.floor(vim.o.columns * math.max(options.size, 0.5))
  local height = math.floor(vim.o.lines * 0.8)
  api.nvim_open_win(buf, true, {
    relative = 'editor',
    row = math.floor((vim.o.lines - height) / 2) - 1,
    col = math.floor((vim.o.columns - width) / 2),
    width = width,
    height = height,
    border = 'rounded',
  })
end

local function open_window(buf, options)
  if options.position == 'float' then
    open_float(buf, options)
  else
    local split = SPLITS[options.position]
    if options.position == 'left' or options.position == 'right' then
      split = split:gsub('vsplit', math.floor(vim.o.columns * options.size) .. 'vsplit')
    elseif options.position ~= 'tab' then
      split = split:gsub('split', math.floor(vim.o.lines * options.size) .. 'split')
    end
    vim.cmd(split)
    vim.cmd('setlocal nodiff noscrollbind nocursorbind')
    api.nvim_win_set_buf(0, buf)
  end
  vim.cmd('setlocal nonumber norelativenumber signcolumn=no foldcolumn=0 nospell nolist')
end

local function window_of(buf)
  local current = api.nvim_get_current_win()
  if api.nvim_win_get_buf(current) == buf then
    return current
  end
  local win = vim.fn.bufwinid(buf)
  if win ~= -1 then
    return win
  end
  return vim.fn.win_findbuf(buf)[1]
end

local function run(command, options)
  if vim.fn.has('nvim-0.11') == 1 then
    options.term = true
    return vim.fn.jobstart(command, options)
  end
  return vim.fn.termopen(command, options)
end

local function start_terminal(command, settings, options)
  local buf = api.nvim_create_buf(true, false)
  vim.bo[buf].bufhidden = 'hide'
  open_window(buf, options)
  local own = { buf = buf }
  settings.on_exit = function(_, code)
    if terminal == own then
      terminal = nil
    end
    -- What an agent says when it fails stays to be read.
    if code == 0 and api.nvim_buf_is_valid(buf) then
      pcall(api.nvim_buf_delete, buf, { force = true })
    end
  end
  own.job = run(command, settings)
  terminal = own
  vim.cmd('startinsert')
end

--- Goes to the window, or opens it.
local function show(options)
  local win = window_of(terminal.buf)
  if win then
    api.nvim_set_current_win(win)
  else
    open_window(terminal.buf, options)
  end
  vim.cmd('startinsert')
end

local function hide(win)
  if not pcall(api.nvim_win_close, win, false) then
    -- The last window.
    vim.cmd('enew')
  end
end

function M.is_open()
  return terminal ~= nil and api.nvim_buf_is_valid(terminal.buf)
end

--- Goes to the agent's terminal, if there is one.
function M.focus()
  if M.is_open() then
    show(require('hawser.bridge').options().agent)
  end
end

function M.close()
  local win = M.is_open() and window_of(terminal.buf)
  if win then
    hide(win)
  end
end

--- Without arguments: opens the terminal, goes to it, or hides it if it is the current window.
--- `another` opens a second one.
function M.open(words, another)
  local bridge = require('hawser.bridge')
  local options = bridge.options().agent
  if M.is_open() and not another then
    if #words > 0 then
      message.say('an agent runs already; :HawserAgent! starts another', 'WARN')
      show(options)
    elseif api.nvim_get_current_buf() == terminal.buf then
      hide(api.nvim_get_current_win())
    else
      show(options)
    end
    return
  end
  local status = bridge.status()
  if status.phase ~= 'running' then
    bridge.when_running(function()
      M.open(words, another)
    end)
    return
  end
  local command = M.command(words, options, status.launches)
  local cwd = options.cwd and vim.fn.expand(options.cwd) or vim.fn.getcwd(-1, 0)
  local settings = { env = M.environment(command, status, options.env), cwd = cwd }
  local provider = options.provider
  if type(provider) == 'function' then
    provider(command, settings)
    return
  end
  if type(provider) == 'table' then
    command = vim.list_extend(vim.deepcopy(provider), command)
  end
  if vim.fn.executable(command[1]) == 0 then
    message.say(('there is no command %s'):format(command[1]), 'WARN')
  elseif provider then
    settings.detach = true
    vim.fn.jobstart(command, settings)
  else
    start_terminal(command, settings, options)
  end
end

return M
