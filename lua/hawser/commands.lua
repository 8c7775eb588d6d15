-- What the commands do: `:Hawser {subcommand}`, and the commands that stand for one subcommand each.
local message = require('hawser.message')

local M = {}

local function bridge()
  return require('hawser.bridge')
end

--- How a command was called.
---@class hawser.Invocation
---@field words string[] What follows the name of the subcommand
---@field bang boolean
---@field first? integer The first line of the range, if there is one
---@field last? integer

---@param lines string[]
local function echo(lines)
  vim.api.nvim_echo(
    vim.tbl_map(function(line)
      return { line .. '\n' }
    end, lines),
    false,
    {}
  )
end

---@return string[]
local function status_lines()
  local status = bridge().status()
  local lines = { 'Hawser: ' .. status.phase .. (status.paused and ', paused' or '') }
  if status.problem then
    lines[#lines + 1] = '  ' .. status.problem
  end
  if status.phase == 'running' then
    lines[#lines + 1] = ('  %s at %s'):format(status.name, status.address)
    lines[#lines + 1] = '  lock file: ' .. (status.lock or 'none')
    for _, client in ipairs(status.clients) do
      local version = client.version and ' ' .. client.version or ''
      lines[#lines + 1] = ('  agent: %s%s, %s'):format(client.name, version, client.state):gsub('%c', '?')
    end
    if #status.clients == 0 then
      lines[#lines + 1] = '  no agent is connected'
    end
    lines[#lines + 1] = ('  proposals open: %d'):format(status.diffs)
  end
  lines[#lines + 1] = '  log: ' .. require('hawser.program').log_file()
  return lines
end

local function log()
  local file = require('hawser.program').log_file()
  if vim.fn.filereadable(file) == 0 then
    message.say('there is no log yet at ' .. vim.fn.fnamemodify(file, ':~'))
    return
  end
  vim.cmd('botright split ' .. vim.fn.fnameescape(file))
  vim.bo.readonly, vim.bo.autoread, vim.bo.buflisted, vim.bo.swapfile = true, true, false, false
  vim.cmd('normal! G')
end

--- The words as they were typed; nil without any.
---@param given hawser.Invocation
---@return string?
local function text_of(given)
  return #given.words > 0 and table.concat(given.words, ' ') or nil
end

--- `%`, `#` and `<cfile>` stand for file names, as in Vim's own commands, unless there is a file of that name.
---@param name string
---@return string
local function expanded(name)
  if name:match('^[%%#<]') and vim.fn.filereadable(name) == 0 then
    return vim.fn.expand(name) --[[@as string]]
  end
  return name
end

---@param given hawser.Invocation
local function send(given)
  local mention = require('hawser.mention')
  local name = text_of(given)
  if name then
    mention.send(expanded(name), given.first, given.last)
  else
    mention.send_range(given.first, given.last)
  end
end

local function pause()
  local paused = not bridge().status().paused
  bridge().set_paused(paused)
  message.say(
    paused and 'paused; agents see nothing until :Hawser pause' or 'no longer paused; agents see the workspace'
  )
end

--- The review in the browser.
local function web()
  local opened = require('hawser.rpc').request('review/openPage', { open = true }, function(problem, result)
    if problem then
      message.say(problem.message, 'ERROR')
    elseif result.isOpen then
      message.say('the review is open in your browser')
    else
      -- Whole, however long it is.
      vim.api.nvim_echo({ { 'Hawser: open this link, once: ' .. result.link } }, true, {})
    end
  end)
  if not opened then
    message.say('the bridge is not running; :Hawser start starts it', 'WARN')
  end
end

--- A function of the diff views, which say themselves when there is none.
---@param name string
---@return fun()
local function on_diff(name)
  return function()
    require('hawser.diff.actions')[name]()
  end
end

---@param lead string
---@return string[]
local function agents(lead)
  local known = vim.tbl_filter(function(name)
    return vim.startswith(name, lead) and vim.fn.executable(name) == 1
  end, vim.tbl_keys(bridge().status().launches or {}))
  table.sort(known)
  return #known > 0 and known or vim.fn.getcompletion(lead, 'shellcmd')
end

---@param lead string
---@return string[]
local function files(lead)
  return vim.tbl_map(function(name)
    return (name:gsub('[\\ ]', '\\%0'))
  end, vim.fn.getcompletion(lead:gsub('\\(.)', '%1'), 'file'))
end

---@type table<string, fun(given: hawser.Invocation)>
local SUBCOMMANDS = {
  status = function()
    echo(status_lines())
  end,
  start = function()
    bridge().start(true)
  end,
  stop = function()
    bridge().stop(function()
      message.say('the bridge is stopped; agents are disconnected')
    end)
  end,
  restart = function()
    bridge().restart(true)
  end,
  send = send,
  accept = on_diff('accept'),
  reject = on_diff('reject'),
  ask = function(given)
    require('hawser.diff.actions').ask(text_of(given))
  end,
  note = function(given)
    local text = text_of(given)
    require('hawser.diff.actions').note({ text = text, whole = given.bang, first = given.first, last = given.last })
  end,
  ['remove-note'] = on_diff('remove_note'),
  compare = on_diff('compare'),
  ['accept-hunk'] = on_diff('accept_hunk'),
  ['reject-hunk'] = on_diff('reject_hunk'),
  ['undo-hunk'] = on_diff('undo_hunk'),
  ['next-hunk'] = on_diff('next_hunk'),
  ['prev-hunk'] = on_diff('prev_hunk'),
  review = on_diff('reveal'),
  pause = pause,
  web = web,
  log = log,
  agent = function(given)
    require('hawser.agent').open(given.words, given.bang)
  end,
}

--- Of what follows the name.
---@type table<string, fun(lead: string): string[]>
local COMPLETIONS = { send = files, agent = agents }

--- Runs one subcommand, for a command that stands for it.
---@param name string
---@param given table What Neovim passes to a user command
---@param words? string[] Its arguments, if they are not all of those given
function M.run(name, given, words)
  local has_range = (given.range or 0) > 0
  local ok, problem = pcall(SUBCOMMANDS[name], {
    words = words or (given.args ~= '' and given.fargs or {}),
    bang = given.bang or false,
    first = has_range and given.line1 or nil,
    last = has_range and given.line2 or nil,
  })
  if not ok then
    message.say(type(problem) == 'table' and problem.message or tostring(problem), 'ERROR')
  end
end

--- `:Hawser {subcommand} {arguments}`; without any, the status.
---@param given table What Neovim passes to a user command
function M.run_first_word(given)
  local name = given.fargs[1] or 'status'
  if not SUBCOMMANDS[name] then
    message.say(('there is no :Hawser %s; :help hawser-commands lists them'):format(name), 'WARN')
    return
  end
  M.run(name, given, vim.list_slice(given.fargs, 2))
end

--- Completes `:Hawser`; see |:command-completion-customlist|.
---@param lead string
---@param line string
---@param position integer
---@return string[]
function M.complete(lead, line, position)
  local before = line:sub(1, position - #lead):match('Hawser!?%s+(.*)$') or ''
  local name = before:match('^(%S+)%s')
  if name then
    return COMPLETIONS[name] and COMPLETIONS[name](lead) or {}
  end
  local names = vim.tbl_filter(function(each)
    return vim.startswith(each, lead)
  end, vim.tbl_keys(SUBCOMMANDS))
  table.sort(names)
  return names
end

return M
