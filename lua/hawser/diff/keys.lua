-- Keys of the views: on both sides, in our buffers only.
local M = {}

---@alias hawser.DiffAction 'accept'|'reject'|'ask'|'accept_hunk'|'reject_hunk'|'next_hunk'|'prev_hunk'|'note'|'compare'

---@type table<hawser.DiffAction, string|string[]>
M.defaults = {
  accept = { '<leader>aa', 'ZZ' },
  reject = { '<leader>ad', 'ZQ' },
  ask = '<leader>ar',
  accept_hunk = '<leader>ah',
  reject_hunk = '<leader>aH',
  next_hunk = ']h',
  prev_hunk = '[h',
  note = '<leader>an',
  compare = '<leader>aw',
}

--- Those that work on selected lines, too.
local ON_LINES = { note = true }

---@type table<hawser.DiffAction, string>
local DESCRIPTIONS = {
  accept = 'Hawser: accept the proposal as it stands here',
  reject = 'Hawser: reject the proposal',
  ask = 'Hawser: ask for changes of the proposal',
  accept_hunk = 'Hawser: accept this hunk',
  reject_hunk = 'Hawser: reject this hunk',
  next_hunk = 'Hawser: go to the next hunk',
  prev_hunk = 'Hawser: go to the previous hunk',
  note = 'Hawser: write a note on this line, or on the selected lines',
  compare = 'Hawser: show the whole change, or what is new since the round before',
}

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
    for _, key in ipairs(M.list(keys[name])) do
      local modes = ON_LINES[name] and { 'n', 'x' } or 'n'
      vim.keymap.set(modes, key, action, { buffer = buffer, desc = DESCRIPTIONS[name], nowait = true, silent = true })
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
    for _, key in ipairs(M.list(value)) do
      if type(key) ~= 'string' or key == '' then
        return ('keys.%s must be a key, a list of keys, or false'):format(name)
      end
    end
    if type(value) ~= 'string' and type(value) ~= 'table' and value ~= false then
      return ('keys.%s must be a key, a list of keys, or false'):format(name)
    end
  end
  return nil
end

return M
