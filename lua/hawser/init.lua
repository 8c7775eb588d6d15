-- Hawser: coding agents work with this Neovim. `:help hawser` describes all of it.
local M = {}

local function bridge()
  return require('hawser.bridge')
end

--- Not where Neovim is used briefly: in a script, for a commit message, inside another editor.
---@return boolean
local function is_for_a_person()
  return #vim.api.nvim_list_uis() > 0
    and not vim.g.vscode
    and not vim.tbl_contains({ 'gitcommit', 'gitrebase' }, vim.bo.filetype)
end

local function start_for_a_person()
  if require('hawser.options').current().auto_start and is_for_a_person() then
    M.start()
  end
end

--- Takes options, and starts the bridge once Neovim is up. An option that does not fit gets a message and is left at
--- its default. See |hawser-options|.
---@param given? table
function M.setup(given)
  local options = require('hawser.options')
  local read, problems = options.read(given)
  for _, problem in ipairs(problems) do
    require('hawser.message').say(problem, 'WARN')
  end
  options.use(read)
  if read.preset then
    require('hawser.presets.' .. read.preset).apply()
  end
  if vim.v.vim_did_enter == 1 then
    start_for_a_person()
  end
end

--- After VimEnter, so that Neovim itself starts as fast as without us.
function M.on_vim_enter()
  if #vim.api.nvim_list_uis() > 0 then
    start_for_a_person()
  else
    vim.api.nvim_create_autocmd('UIEnter', { once = true, callback = vim.schedule_wrap(start_for_a_person) })
  end
end

function M.start()
  bridge().start()
end

function M.stop()
  bridge().stop()
end

function M.restart()
  bridge().restart()
end

--- Whether an agent is connected and ready.
---@return boolean
function M.is_connected()
  return M.status().connection == 'ready'
end

---@return hawser.Status
function M.status()
  return bridge().status()
end

--- A few characters for a status line; empty while the bridge is stopped.
---@return string
function M.statusline()
  local status = M.status()
  if status.phase == 'stopped' then
    return ''
  end
  if status.phase == 'failed' then
    return 'hawser !'
  end
  if status.paused then
    return 'hawser paused'
  end
  if status.connection ~= 'ready' then
    return 'hawser –'
  end
  local text = 'hawser ' .. #bridge().ready_clients()
  return status.diffs > 0 and text .. ' ±' .. status.diffs or text
end

--- Points agents to a file, or to lines of it that count from 1. Without a path, to the current one.
---@param path? string
---@param first? integer
---@param last? integer
---@return boolean # Whether it was sent, or will be when an agent connects
function M.send(path, first, last)
  return require('hawser.mention').send(path, first, last)
end

--- While paused, agents see nothing: no selection, no mention, no file.
---@param paused? boolean Without it, the other state than now
function M.pause(paused)
  if paused == nil then
    paused = not M.status().paused
  end
  bridge().set_paused(paused)
end

return M
