-- User autocommands.
local M = {}

--- With `data` where this Neovim has it; `g:hawser_event` always, which is all that 0.7 has.
function M.fire(name, data)
  vim.schedule(function()
    vim.g.hawser_event = { name = name, data = data or vim.empty_dict() }
    local options = { pattern = name, modeline = false }
    if vim.fn.has('nvim-0.8') == 1 then
      options.data = data
    end
    local ok, problem = pcall(vim.api.nvim_exec_autocmds, 'User', options)
    if not ok then
      require('hawser.message').say(('an autocommand for %s failed: %s'):format(name, problem), 'WARN')
    end
  end)
end

return M
