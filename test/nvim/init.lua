-- Starts the plugin in a Neovim without a configuration, for tests that stand in for the bridge: `hawser` on the PATH is
-- one of them.
local root = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h:h')
vim.opt.runtimepath:prepend(root)
require('hawser').setup({ auto_start = false, node = 'hawser', selection = { debounce_ms = 1 }, diff = { idle = 0, grace = 0 } })
-- By itself it does not start without a screen.
vim.api.nvim_create_autocmd('VimEnter', {
  callback = function()
    require('hawser').start()
  end,
})
