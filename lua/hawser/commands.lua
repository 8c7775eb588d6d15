-- What the commands do.
local message = require('hawser.message')

local M = {}

local function bridge()
  return require('hawser.bridge')
end

local function echo(lines)
  vim.api.nvim_echo(
    vim.tbl_map(function(line)
      return { line .. '\n' }
    end, lines),
    false,
    {}
  )
end

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
  lines[#lines + 1] = '  log: ' .. bridge().log_file()
  return lines
end

local function log()
  local file = bridge().log_file()
  if vim.fn.filereadable(file) == 0 then
    message.say('there is no log yet at ' .. vim.fn.fnamemodify(file, ':~'))
    return
  end
  vim.cmd('botright split ' .. vim.fn.fnameescape(file))
  vim.bo.readonly, vim.bo.autoread, vim.bo.buflisted, vim.bo.swapfile = true, true, false, false
  vim.cmd('normal! G')
end

local function send(given)
  local mention = require('hawser.mention')
  if given.args ~= '' then
    local has_range = given.range > 0
    return mention.send(given.args, has_range and given.line1 or nil, has_range and given.line2 or nil)
  end
  mention.send_range(given.line1, given.line2, given.range > 0)
end

--- A function of the diff views, which say themselves when there is none.
local function on_diff(name)
  return function()
    require('hawser.diff')[name]()
  end
end

local COMMANDS = {
  Hawser = function()
    echo(status_lines())
  end,
  HawserStart = function()
    bridge().forget_problem()
    bridge().start(true)
  end,
  HawserStop = function()
    bridge().stop(function()
      message.say('the bridge is stopped; agents are disconnected')
    end)
  end,
  HawserRestart = function()
    bridge().forget_problem()
    bridge().restart(true)
  end,
  HawserSend = send,
  HawserAccept = on_diff('accept'),
  HawserReject = on_diff('reject'),
  HawserNextHunk = on_diff('next_hunk'),
  HawserPrevHunk = on_diff('prev_hunk'),
  HawserAcceptHunk = on_diff('accept_hunk'),
  HawserRejectHunk = on_diff('reject_hunk'),
  HawserUndoHunk = on_diff('undo_hunk'),
  HawserReview = on_diff('reveal'),
  HawserPause = function()
    local paused = not bridge().status().paused
    require('hawser').pause(paused)
    message.say(
      paused and 'paused; agents see nothing until :HawserPause' or 'no longer paused; agents see the workspace'
    )
  end,
  HawserLog = log,
  HawserAgent = function(given)
    require('hawser.agent').open(given.fargs, given.bang)
  end,
}

function M.run(name, given)
  local ok, problem = pcall(COMMANDS[name], given)
  if not ok then
    local text = type(problem) == 'table' and problem.message or tostring(problem)
    message.say(text, 'ERROR')
  end
end

return M
