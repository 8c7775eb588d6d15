-- The folders of the workspace: where Neovim is, the repository around it, and what language servers were given.
local M = {}

local uv = vim.uv or vim.loop

local roots = {}

local function git_root(folder)
  local root = roots[folder]
  if root == nil then
    root = false
    local home = uv.os_homedir()
    local at = folder
    while at and at ~= '/' and at ~= home do
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

local function lsp_folders()
  -- Whoever has not used it yet has no clients: nobody should wait for it to be loaded.
  local lsp = rawget(vim, 'lsp') or package.loaded['vim.lsp']
  if not lsp then
    return {}
  end
  local clients = (lsp.get_clients or lsp.get_active_clients)()
  local found = {}
  for _, client in ipairs(clients) do
    for _, folder in ipairs(client.workspace_folders or {}) do
      local ok, path = pcall(vim.uri_to_fname, folder.uri)
      found[#found + 1] = ok and path or nil
    end
  end
  return found
end

--- Without repetition, the working directory first. `more` comes last.
local function collect(more)
  local cwd = vim.fn.getcwd(-1, 0)
  cwd = uv.fs_realpath(cwd) or cwd
  local list, seen = {}, {}
  local function add(path)
    path = path and (uv.fs_realpath(path) or path)
    if path and path ~= '/' and not seen[path] then
      seen[path] = true
      list[#list + 1] = path
    end
  end
  add(cwd)
  add(git_root(cwd) or nil)
  for _, path in ipairs(more) do
    add(path)
  end
  return list
end

function M.list()
  return collect(lsp_folders())
end

--- What does not depend on which language servers have started by now.
function M.base()
  return collect({})
end

return M
