-- The folders of the workspace: where Neovim is, the repository around it, and roots of language servers.
local M = {}

local compat = require('hawser.compat')

local uv = compat.uv

--- The git repository around a folder, by folder.
---@type table<string, string|false>
local roots = {}

---@return string?
local function home()
  local folder = uv.os_homedir()
  return folder and (uv.fs_realpath(folder) or folder)
end

---@param folder string
---@return string|false
local function git_root(folder)
  local root = roots[folder]
  if root == nil then
    root = false
    local at = folder
    while at and at ~= '/' and at ~= home() do
      if uv.fs_stat(at .. '/.git') then
        root = at
        break
      end
      at = at:match('^(.+)/[^/]+$')
    end
    roots[folder] = root
  end
  return root
end

---@return string[]
local function lsp_folders()
  -- Without language servers this module is not loaded; loading it takes time.
  local lsp = rawget(vim, 'lsp') or package.loaded['vim.lsp']
  if not lsp then
    return {}
  end
  local found = {}
  for _, client in ipairs(compat.lsp_clients()) do
    for _, folder in ipairs(client.workspace_folders or {}) do
      local ok, path = pcall(vim.uri_to_fname, folder.uri)
      found[#found + 1] = ok and path or nil
    end
  end
  return found
end

---@param folder string
---@param path string
---@return boolean
local function contains(folder, path)
  return path == folder or path:sub(1, #folder + 1) == folder .. '/'
end

--- What does not depend on which language servers have started by now: the working directory first.
---@return string[]
function M.base()
  local cwd = vim.fn.getcwd(-1, 0)
  cwd = uv.fs_realpath(cwd) or cwd
  local list = cwd ~= '/' and { cwd } or {}
  local root = git_root(cwd)
  if root and root ~= cwd then
    list[#list + 1] = root
  end
  return list
end

--- `which` says which roots of language servers count: "project", those inside the folders above; "all", also others;
--- "none". The home folder and the root of the disk never do: a server without a project has them.
---@param which 'project'|'all'|'none'
---@return string[]
function M.list(which)
  local list = M.base()
  local project = vim.list_slice(list)
  for _, path in ipairs(which == 'none' and {} or lsp_folders()) do
    path = uv.fs_realpath(path) or path
    local is_inside = false
    for _, folder in ipairs(project) do
      is_inside = is_inside or contains(folder, path)
    end
    local is_wanted = is_inside or (which == 'all' and path ~= '/' and not contains(path, home() or '/'))
    if is_wanted and not vim.tbl_contains(list, path) then
      list[#list + 1] = path
    end
  end
  return list
end

return M
