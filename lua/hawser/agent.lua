-- Runs an agent in a terminal beside the text, so that it finds this Neovim and no other.
local compat = require('hawser.compat')
local message = require('hawser.message')

local M = {}

local api = vim.api

--- With the columns or rows that the terminal takes.
local SPLITS = {
  left = 'topleft %dvsplit',
  right = 'botright %dvsplit',
  top = 'topleft %dsplit',
  bottom = 'botright %dsplit',
  tab = 'tab split',
}

--- For how long the user sees what is special about the agent.
local NOTICE_MS = 10000

--- The terminal that the command shows and hides.
---@type { buf: integer, job: integer }?
local terminal

--- Loopback is never reached through a proxy.
---@param given? string
---@return string
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

--- What this agent needs besides the environment of the adapters.
---@param command string[]
---@param launches? table<string, hawser.Launch>
---@return hawser.Launch
local function launch_of(command, launches)
  return (launches or {})[vim.fn.fnamemodify(command[1], ':t')] or { args = {}, environment = {} }
end

--- What an agent needs to find us: what the bridge says, no proxy, and what the options add.
---@param command string[]
---@param status hawser.Status
---@param added? table<string, string>
---@return table<string, string>
function M.environment(command, status, added)
  local hosts = without_proxy(vim.env.NO_PROXY or vim.env.no_proxy)
  local own = launch_of(command, status.launches).environment
  return vim.tbl_extend('force', { NO_PROXY = hosts, no_proxy = hosts }, status.environment or {}, own, added or {})
end

--- Whether the user's arguments choose the mode in which an agent works.
---@param given string[]
---@param asking? hawser.AskingMode
---@return boolean
local function is_chosen(given, asking)
  if not asking or #given == 0 then
    return false
  end
  if asking.onlyBeforeFlags and not vim.startswith(given[1], '-') then
    return true
  end
  local name = asking.flag:gsub('=.*', '')
  for _, arg in ipairs(given) do
    if arg == name or vim.startswith(arg, name .. '=') or vim.tbl_contains(asking.unless, arg) then
      return true
    end
  end
  return false
end

--- Words that begin with a dash are flags for the configured agent, others are another command.
---@param words string[]
---@param options hawser.AgentOptions
---@param launches? table<string, hawser.Launch>
---@return string[] command
---@return string? notice What the user should know about the review of its changes
function M.command(words, options, launches)
  local command = {}
  if #words == 0 or vim.startswith(words[1], '-') then
    local own = options.command
    vim.list_extend(command, type(own) == 'table' and own or {
      own --[[@as string]],
    })
    vim.list_extend(command, options.args)
  end
  vim.list_extend(command, words)
  local launch, given = launch_of(command, launches), vim.list_slice(command, 2)
  local chosen = is_chosen(given, launch.asking)
  local added = vim.tbl_filter(function(arg)
    return not vim.tbl_contains(given, arg) and not (chosen and arg == launch.asking.flag)
  end, launch.args)
  local started = vim.list_extend(vim.list_extend({ command[1] }, added), given)
  return started, not chosen and launch.notice or nil
end

---@param buf integer
---@param options hawser.AgentOptions
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

---@param buf integer
---@param options hawser.AgentOptions
local function open_window(buf, options)
  if options.position == 'float' then
    open_float(buf, options)
  else
    local split = SPLITS[options.position]
    local room = split:find('vsplit') and vim.o.columns or vim.o.lines
    vim.cmd(split:format(math.floor(room * options.size)))
    vim.cmd('setlocal nodiff noscrollbind nocursorbind')
    api.nvim_win_set_buf(0, buf)
  end
  vim.cmd('setlocal nonumber norelativenumber signcolumn=no foldcolumn=0 nospell nolist')
end

---@param buf integer
---@return integer?
local function window_of(buf)
  if api.nvim_get_current_buf() == buf then
    return api.nvim_get_current_win()
  end
  local win = vim.fn.bufwinid(buf)
  return win ~= -1 and win or vim.fn.win_findbuf(buf)[1]
end

---@param command string[]
---@param settings table
---@param options hawser.AgentOptions
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
  own.job = compat.open_terminal(command, settings)
  terminal = own
  vim.cmd('startinsert')
end

--- Goes to the window, or opens it.
---@param buf integer
---@param options hawser.AgentOptions
local function show(buf, options)
  local win = window_of(buf)
  if win then
    api.nvim_set_current_win(win)
  else
    open_window(buf, options)
  end
  vim.cmd('startinsert')
end

---@param win integer
local function hide(win)
  if not pcall(api.nvim_win_close, win, false) then
    -- The last window.
    vim.cmd('enew')
  end
end

--- The buffer of the terminal, if there is one.
---@return integer?
local function open_buffer()
  return terminal and api.nvim_buf_is_valid(terminal.buf) and terminal.buf or nil
end

--- Goes to the agent's terminal, if there is one.
function M.focus()
  local buf = open_buffer()
  if buf then
    show(buf, require('hawser.options').current().agent)
  end
end

function M.close()
  local buf = open_buffer()
  local win = buf and window_of(buf)
  if win then
    hide(win)
  end
end

--- Shows the terminal that is open, or hides it if it is the current window.
---@param buf integer
---@param words string[]
---@param options hawser.AgentOptions
local function toggle(buf, words, options)
  if #words == 0 and api.nvim_get_current_buf() == buf then
    hide(api.nvim_get_current_win())
    return
  end
  if #words > 0 then
    message.say('an agent runs already; :Hawser! agent starts another', 'WARN')
  end
  show(buf, options)
end

---@param words string[]
---@param options hawser.AgentOptions
local function start(words, options)
  local status = require('hawser.bridge').status()
  local command, notice = M.command(words, options, status.launches)
  local cwd = options.cwd and vim.fn.expand(options.cwd) or vim.fn.getcwd(-1, 0)
  local settings = { env = M.environment(command, status, options.env), cwd = cwd }
  local provider = options.provider
  if type(provider) == 'function' then
    provider(command, settings)
  else
    command = vim.list_extend(vim.deepcopy(provider or {}), command)
    if vim.fn.executable(command[1]) == 0 then
      local install = launch_of(command, status.launches).install
      local text = install and 'no %s here: %s' or 'there is no command %s'
      message.say(text:format(command[1], install), 'WARN')
      return
    elseif provider then
      settings.detach = true
      vim.fn.jobstart(command, settings)
    else
      start_terminal(command, settings, options)
    end
  end
  if notice and provider then
    message.say(notice)
  elseif notice then
    require('hawser.note').show_for(notice, NOTICE_MS)
  end
end

--- Without arguments: opens the terminal, goes to it, or hides it if it is the current window.
---@param words string[]
---@param another? boolean Opens a second one
function M.open(words, another)
  local options = require('hawser.options').current().agent
  local buf = not another and open_buffer()
  if buf then
    toggle(buf, words, options)
    return
  end
  require('hawser.bridge').when_running(function()
    start(words, options)
  end)
end

return M
