-- Highlight groups; |hawser-highlights| describes them.
local compat = require('hawser.compat')

local M = {}

local LINKS = {
  HawserTitle = 'Title',
  HawserKey = 'Special',
  HawserHint = 'Comment',
  HawserNotice = 'WarningMsg',
  HawserWaiting = 'Visual',
  HawserAdded = 'DiffAdd',
  HawserChanged = 'DiffChange',
  HawserText = 'DiffText',
}

--- The colour of DiffDelete for text that can be read: some schemes hide the text of that group.
---@return vim.api.keyset.highlight
local function removed()
  local group = compat.highlight('DiffDelete')
  return {
    default = true,
    bg = group.bg,
    fg = not group.bg and group.fg or nil,
    ctermbg = group.ctermbg,
    ctermfg = not group.ctermbg and group.ctermfg or nil,
  }
end

local function define()
  for name, link in pairs(LINKS) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
  vim.api.nvim_set_hl(0, 'HawserRemoved', removed())
end

--- Defines the groups that the user has not, now and for each new colour scheme.
function M.define()
  define()
  vim.api.nvim_create_autocmd('ColorScheme', {
    group = vim.api.nvim_create_augroup('hawser_diff_colours', { clear = true }),
    callback = define,
  })
end

return M
