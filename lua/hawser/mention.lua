-- Points agents to files and lines.
local compat = require('hawser.compat')
local documents = require('hawser.documents')
local message = require('hawser.message')

local M = {}

--- What is sent when an agent connects; lines from 0.
---@type { path: string, first?: integer, last?: integer }[]
local waiting = {}
local MAX_WAITING = 100

local api = vim.api
local uv = compat.uv

--- Joins a folder and a name, without two slashes.
---@param folder string
---@param name string
---@return string
local function join(folder, name)
  return (folder:gsub('/+$', '')) .. '/' .. name
end

--- By filetype: the path that a line of a file tree stands for. Each is asked only where it is shown.
---@type table<string, fun(line: integer): string?>
local TREES = {
  netrw = function(line)
    -- netrw looks at the line of the cursor.
    api.nvim_win_set_cursor(0, { line, 0 })
    local name = vim.fn['netrw#Call']('NetrwGetWord')
    return name ~= '' and name ~= './' and name ~= '../' and join(vim.b.netrw_curdir, name) or nil
  end,
  oil = function(line)
    local oil = require('oil')
    local folder, entry = oil.get_current_dir(), oil.get_entry_on_line(0, line)
    return folder and entry and join(folder, entry.name)
  end,
  NvimTree = function(line)
    api.nvim_win_set_cursor(0, { line, 0 })
    local node = require('nvim-tree.api').tree.get_node_under_cursor()
    return node and node.absolute_path
  end,
  ['neo-tree'] = function(line)
    local state = require('neo-tree.sources.manager').get_state(vim.b.neo_tree_source or 'filesystem')
    local node = state.tree:get_node(line)
    return node and (node.path or node:get_id())
  end,
}

--- The paths in a file tree; nil where there is none.
---@param first integer
---@param last integer
---@return string[]?
function M.tree_paths(first, last)
  local tree = TREES[vim.bo.filetype]
  if not tree then
    return nil
  end
  local cursor = api.nvim_win_get_cursor(0)
  local paths = {}
  for line = first, last do
    -- The interfaces of file trees change.
    local ok, path = pcall(tree, line)
    paths[#paths + 1] = ok and path or nil
  end
  pcall(api.nvim_win_set_cursor, 0, cursor)
  return paths
end

---@param path string
---@param first? integer
---@param last? integer
---@return boolean
local function deliver(path, first, last)
  local range = first
    and { start = { line = first, character = 0 }, ['end'] = { line = (last or first) + 1, character = 0 } }
  return require('hawser.rpc').notify('editor/mention', { uri = vim.uri_from_fname(path), range = range or nil })
end

--- Sends what has waited for an agent.
function M.on_ready()
  local all = waiting
  waiting = {}
  for _, each in ipairs(all) do
    deliver(each.path, each.first, each.last)
  end
end

---@param path string
---@param first? integer
---@param last? integer
---@return string
local function place(path, first, last)
  local name = vim.fn.fnamemodify(path, ':t')
  if not first then
    return name
  end
  return first == last and ('%s:%d'):format(name, first + 1) or ('%s:%d-%d'):format(name, first + 1, last + 1)
end

--- Lines count from 1, both are included.
---@param path? string
---@param first? integer
---@param last? integer
---@return boolean # Whether it was sent or will be
function M.send(path, first, last)
  if not path then
    local buf = api.nvim_get_current_buf()
    if not documents.is_document(buf) or api.nvim_buf_get_name(buf) == '' then
      message.say('there is no file here to send', 'WARN')
      return false
    end
    path = documents.path_of(buf)
  else
    -- Not expand(): it would run the commands that a file name has in backticks.
    path = vim.fn.fnamemodify(path, ':p'):gsub('(.)/+$', '%1')
    local real = uv.fs_realpath(path)
    if not real then
      message.say('does not exist', 'WARN', path)
      return false
    end
    path = real
  end
  if first then
    last = last or first
    first, last = math.min(first, last) - 1, math.max(first, last) - 1
  end
  if require('hawser.options').current().focus_after_send then
    vim.schedule(require('hawser.agent').focus)
  end
  if require('hawser.bridge').status().connection == 'ready' then
    return deliver(path, first, last)
  end
  if #waiting >= MAX_WAITING then
    table.remove(waiting, 1)
  end
  waiting[#waiting + 1] = { path = path, first = first, last = last }
  message.say('waits for an agent; :Hawser agent starts one', 'INFO', place(path, first, last))
  return true
end

--- For the command: a file or lines of it, or entries of a file tree; without lines that under the cursor.
---@param first? integer
---@param last? integer
---@return boolean
function M.send_range(first, last)
  local line = api.nvim_win_get_cursor(0)[1]
  local paths = M.tree_paths(first or line, last or line)
  if not paths then
    return M.send(nil, first, last)
  end
  if #paths == 0 then
    message.say('there is no file on this line', 'WARN')
    return false
  end
  local sent = false
  for _, path in ipairs(paths) do
    sent = M.send(path) or sent
  end
  return sent
end

return M
