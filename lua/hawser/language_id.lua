-- Neovim's filetypes in the identifiers of the Language Server Protocol.
local M = {}

--- Those that are not called the same.
local DIFFERENT = {
  bash = 'shellscript',
  conf = 'properties',
  cs = 'csharp',
  dosbatch = 'bat',
  dosini = 'ini',
  fsharp_project = 'fsharp',
  gitcommit = 'git-commit',
  gitignore = 'ignore',
  gitrebase = 'git-rebase',
  jproperties = 'properties',
  make = 'makefile',
  objc = 'objective-c',
  objcpp = 'objective-cpp',
  plaintex = 'tex',
  ps1 = 'powershell',
  sh = 'shellscript',
  tex = 'latex',
  text = 'plaintext',
  zsh = 'shellscript',
}

--- `plaintext` without a filetype. There may be several, as in `html.handlebars`: the first counts.
---@param filetype string
---@return string
function M.of(filetype)
  local first = filetype:match('^[^.]*')
  return DIFFERENT[first] or (first == '' and 'plaintext' or first)
end

return M
