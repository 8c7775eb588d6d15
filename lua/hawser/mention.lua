-- Points agents to files and lines.
local documents = require('hawser.documents')

local M = {}

local api = vim.api
local uv = vim.uv or vim.loop

--- Joins a folder and a name, without two slashes.
local function join(folder, name)
  return (folder:gsub('/+$', '')) .. '/' .. name
end

--- What a function gives, or nothing when it fails: file trees change their ways.
local function try(get)
  local ok, result = pcall(get)
  return ok and result or nil
end

--- By filetype: the paths that lines `first` to `last` of a file tree stand for. Each is asked only where it is shown.
local TREES = {
  netrw = function(first, last)
    local paths = {}
    for line = first, last do
      local name = try(function()
        -- netrw looks at the line of the cursor.
        api.nvim_win_set_cursor(0, { line, 0 })
        return vim.fn['netrw#Call']('NetrwGetWord')
      end)
      if name and name ~= '' and name ~= './' and name ~= '../' then
        paths[#paths + 1] = join(vim.b.netrw_curdir, name)
      end
    end
    return paths
  end,
  oil = function(first, last)
    local oil = require('oil')
    local folder = oil.get_current_dir()
    local paths = {}
    for line = first, last do
      local entry = oil.get_entry_on_line(0, line)
      if folder and entry then
        paths[#paths + 1] = join(folder, entry.name)
      end
    end
    return paths
  end,
  NvimTree = function(first, last)
    local tree = require('nvim-tree.api').tree
    local paths = {}
    for line = first, last do
      api.nvim_win_set_cursor(0, { line, 0 })
      local node = tree.get_node_under_cursor()
      if node and node.absolute_path then
        paths[#paths + 1] = node.absolute_path
      end
    end
    return paths
  end,
  ['neo-tree'] = function(first, last)
    local state = require('neo-tree.sources.manager').get_state(vim.b.neo_tree_source or 'filesystem')
    local paths = {}
    for line = first, last do
      local node = state.tree:get_node(line)
      local path = node and (node.path or node:get_id())
      if path then
        paths[#paths + 1] = path
      end
    end
    return paths
  end,
}

--- The paths in a file tree; nil where there is none.
function M.tree_paths(first, last)
  local tree = TREES[vim.bo.filetype]
  if not tree then
    return nil
  end
  local cursor = api.nvim_win_get_cursor(0)
  local paths = try(function()
    return tree(first, last)
  end) or {}
  pcall(api.nvim_win_set_cursor, 0, cursor)
  return paths
end

local function say(text)
  vim.notify('Hawser: ' .. text, vim.log.levels.WARN)
end

--- True when it was sent. Lines count from 1, both are included.
function M.send(path, first, last)
  if not path then
    local buf = api.nvim_get_current_buf()
    if not documents.is_document(buf) or api.nvim_buf_get_name(buf) == '' then
      say('there is no file here to send')
      return false
    end
    path = documents.path_of(buf)
  else
    path = vim.fn.fnamemodify(vim.fn.expand(path), ':p'):gsub('(.)/+$', '%1')
    local real = uv.fs_realpath(path)
    if not real then
      say('there is no file ' .. path)
      return false
    end
    path = real
  end
  if not require('hawser.channel').is_attached() then
    say('the bridge does not run; :HawserStart starts it')
    return false
  end
  if first then
    last = last or first
    first, last = math.min(first, last), math.max(first, last)
  end
  return require('hawser.channel').notify('mention', path, first and first - 1 or vim.NIL, last and last - 1 or vim.NIL)
end

--- For the command: lines of a file, or entries of a file tree.
function M.send_range(first, last, has_range)
  local paths = M.tree_paths(first, last)
  if not paths then
    return M.send(nil, has_range and first or nil, has_range and last or nil)
  end
  if #paths == 0 then
    say('there is no file on this line')
    return false
  end
  local sent = false
  for _, path in ipairs(paths) do
    sent = M.send(path) or sent
  end
  return sent
end

return M
