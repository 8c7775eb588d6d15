local compat = require('hawser.compat')
local harness = require('harness')
local test, equal = harness.test, harness.equal

test('no version is asked for anywhere else', function()
  local root = require('hawser.program').root()
  for _, path in ipairs(vim.fn.glob(root .. '/lua/**/*.lua', true, true)) do
    local name = vim.fn.fnamemodify(path, ':t')
    local asks = table.concat(vim.fn.readfile(path), '\n'):match("has%('nvim%-[%d.]+'%)")
    equal({ name, asks }, { name, name == 'health.lua' and "has('nvim-0.7.2')" or nil })
  end
end)

test('colours of a group are found whatever function this Neovim has for it', function()
  vim.api.nvim_set_hl(0, 'HawserTest', { fg = 0x112233, bg = 0x445566, ctermbg = 4 })
  vim.api.nvim_set_hl(0, 'HawserTestLink', { link = 'HawserTest' })
  local found = compat.highlight('HawserTestLink')
  equal({ found.fg, found.bg, found.ctermbg }, { 0x112233, 0x445566, 4 })
end)

test('removed lines have the colours of DiffDelete, and text that can be read', function()
  if vim.api.nvim_get_hl then
    -- As in a Neovim that has no more of the older function, which is deprecated.
    vim.api.nvim_get_hl_by_name = nil
  end
  vim.cmd('highlight DiffDelete guibg=#440000 guifg=#440000 ctermbg=1 ctermfg=1')
  require('hawser.highlights').define()
  local found = compat.highlight('HawserRemoved')
  equal({ found.bg, found.fg, found.ctermbg, found.ctermfg }, { 0x440000, nil, 1, nil })
end)

test('hunks, file types and health functions', function()
  equal(compat.diff_indices('a\nb\n', 'a\nB\n'), { { 2, 1, 2, 1 } })
  local buf = vim.api.nvim_create_buf(false, true)
  vim.cmd('filetype on')
  equal(compat.detect_filetype(buf, '/tmp/x.py'), 'python')
  equal(type(compat.health().start), 'function')
  equal(compat.buffer_option(buf, 'buflisted'), false)
end)
