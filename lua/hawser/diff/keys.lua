-- Keys of the views: on both sides, in our buffers only.
local M = {}

---@alias hawser.DiffAction 'accept'|'reject'|'ask'|'accept_hunk'|'reject_hunk'|'next_hunk'|'prev_hunk'|'note'|'compare'

--- What a key does, and the keys that do it by default.
---@class hawser.DiffActionKeys
---@field description string
---@field keys string|string[]
---@field modes? string[]

---@type table<hawser.DiffAction, hawser.DiffActionKeys>
local ACTIONS = {
  accept = { description = 'accept the proposal as it stands here', keys = { '<leader>aa', 'ZZ' } },
  reject = { description = 'reject the proposal', keys = { '<leader>ad', 'ZQ' } },
  ask = { description = 'ask for changes of the proposal', keys = '<leader>ar' },
  accept_hunk = { description = 'accept this hunk', keys = '<leader>ah' },
  reject_hunk = { description = 'reject this hunk', keys = '<leader>aH' },
  next_hunk = { description = 'go to the next hunk', keys = ']h' },
  prev_hunk = { description = 'go to the previous hunk', keys = '[h' },
  note = {
    description = 'write a note on this line, or on the selected lines',
    keys = '<leader>an',
    modes = { 'n', 'x' },
  },
  compare = { description = 'show the whole change, or what is new since the round before', keys = '<leader>aw' },
}

---@type table<hawser.DiffAction, string|string[]>
M.defaults = vim.tbl_map(function(action)
  return action.keys
end, ACTIONS)

---@param keys string|string[]|false|nil
---@return string[]
function M.list(keys)
  if type(keys) == 'table' then
    return keys
  end
  return keys and { keys } or {}
end

--- Maps the keys in a buffer.
---@param buffer integer
---@param keys table<hawser.DiffAction, string|string[]|false>
---@param actions table<hawser.DiffAction, fun()>
function M.map(buffer, keys, actions)
  for name, action in pairs(actions) do
    local description, modes = 'Hawser: ' .. ACTIONS[name].description, ACTIONS[name].modes or 'n'
    for _, key in ipairs(M.list(keys[name])) do
      vim.keymap.set(modes, key, action, { buffer = buffer, desc = description, nowait = true, silent = true })
    end
  end
end

--- `u` takes back the last decision about a hunk, if there was one after the last edit; else the edit.
---@param buffer integer
---@param undo fun(): boolean
function M.map_undo(buffer, undo)
  vim.keymap.set('n', 'u', function()
    if undo() then
      return
    end
    if vim.bo.modifiable then
      pcall(vim.api.nvim_command, 'normal! ' .. vim.v.count1 .. 'u')
    end
  end, { buffer = buffer, desc = 'Hawser: undo a decision or an edit', nowait = true, silent = true })
end

--- The first key of each action as it is typed.
---@param keys table<hawser.DiffAction, string|string[]|false>
---@return table<hawser.DiffAction, string>
function M.labels(keys)
  local leader = vim.g.mapleader
  if leader == nil or leader == '' then
    leader = '\\'
  elseif leader == ' ' then
    leader = 'Space '
  end
  local labels = {}
  for name in pairs(M.defaults) do
    local key = M.list(keys[name])[1]
    if key then
      labels[name] = (key:gsub('<[Ll]eader>', (leader:gsub('%%', '%%%%'))))
    end
  end
  return labels
end

--- The problem with configured keys, or nil.
---@param keys any
---@return string?
function M.problem(keys)
  if type(keys) ~= 'table' then
    return 'keys must be a table of keys by action'
  end
  for name, value in pairs(keys) do
    if M.defaults[name] == nil then
      local actions = vim.tbl_keys(M.defaults)
      table.sort(actions)
      return ('keys.%s is not an action; there are %s'):format(tostring(name), table.concat(actions, ', '))
    end
    local fits = type(value) == 'string' or type(value) == 'table' or value == false
    for _, key in ipairs(fits and M.list(value) or {}) do
      fits = fits and type(key) == 'string' and key ~= ''
    end
    if not fits then
      return ('keys.%s must be a key, a list of keys, or false'):format(name)
    end
  end
  return nil
end

return M
