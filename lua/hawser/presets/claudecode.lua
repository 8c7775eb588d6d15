-- The commands and keys of claudecode.nvim, for users who come from it. A key that is mapped already stays as it is.
local M = {}

---@param subcommand string
---@return fun(given: table)
local function run(subcommand)
  return function(given)
    require('hawser.commands').run(subcommand, given)
  end
end

---@param name string What follows `ClaudeCode`
---@param action fun(given: table)
---@param options? table
local function command(name, action, options)
  vim.api.nvim_create_user_command('ClaudeCode' .. name, action, options or {})
end

---@param mode string
---@param key string
---@param action string
---@param description string
local function map(mode, key, action, description)
  if vim.fn.maparg(key, mode) == '' then
    vim.keymap.set(mode, key, action, { desc = 'Hawser: ' .. description })
  end
end

--- `:ClaudeCodeAdd file [first [last]]`
---@param given table
local function add(given)
  local path, first, last = given.fargs[1], tonumber(given.fargs[2]), tonumber(given.fargs[3])
  require('hawser').send(path, first, last)
end

function M.apply()
  command('', run('agent'), { nargs = '*', bang = true })
  command('Focus', run('agent'), { nargs = '*', bang = true })
  command('Open', run('agent'), { nargs = '*', bang = true })
  command('Close', function()
    require('hawser.agent').close()
  end)
  command('Start', run('start'))
  command('Stop', run('stop'))
  command('Status', run('status'))
  command('Send', run('send'), { range = true, nargs = '?', complete = 'file' })
  command('TreeAdd', run('send'), { range = true, nargs = '?', complete = 'file' })
  command('Add', add, { nargs = '+', complete = 'file' })
  command('DiffAccept', run('accept'))
  command('DiffDeny', run('reject'))
  command('CloseAllDiffs', function()
    require('hawser.diff.actions').reject_all()
  end)

  map('n', '<leader>ac', '<cmd>ClaudeCode<cr>', 'show or hide the agent')
  map('n', '<leader>af', '<cmd>ClaudeCodeFocus<cr>', 'go to the agent')
  map('n', '<leader>ar', '<cmd>ClaudeCode --resume<cr>', 'resume a conversation')
  map('n', '<leader>aC', '<cmd>ClaudeCode --continue<cr>', 'continue the last conversation')
  map('n', '<leader>ab', '<cmd>ClaudeCodeAdd %<cr>', 'point agents to this file')
  map('x', '<leader>as', ':ClaudeCodeSend<cr>', 'point agents to these lines')
  map('n', '<leader>as', '<cmd>ClaudeCodeTreeAdd<cr>', 'point agents to this entry')
  map('n', '<leader>aa', '<cmd>ClaudeCodeDiffAccept<cr>', 'accept the proposal')
  map('n', '<leader>ad', '<cmd>ClaudeCodeDiffDeny<cr>', 'reject the proposal')
end

return M
