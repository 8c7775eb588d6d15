-- When a view may appear: never while the user types.
local M = {}

local api = vim.api
local compat = require('hawser.compat')
local last_key = 0

--- From now on it is known when the last key was typed.
function M.watch_keys()
  vim.on_key(function()
    last_key = compat.uv.now()
  end, api.nvim_create_namespace('hawser_diff_keys'))
end

--- nil when a view may take the focus, else why not, in words that follow "shown when". The second result is 'terminal'
--- in terminal mode, where a view can be shown without the focus.
---@param idle integer For how many milliseconds no key must have been typed
---@return string?
---@return 'terminal'?
function M.obstacle(idle)
  local mode = api.nvim_get_mode()
  if mode.blocking or mode.mode:sub(1, 1) == 'r' then
    return 'the prompt is answered'
  end
  if vim.fn.getcmdwintype() ~= '' then
    return 'the command-line window is closed'
  end
  if mode.mode == 't' then
    return 'you leave terminal mode (<C-\\><C-n>)', 'terminal'
  end
  if mode.mode ~= 'n' and mode.mode ~= 'nt' then
    return 'you are back in normal mode'
  end
  if vim.fn.reg_recording() ~= '' or vim.fn.reg_executing() ~= '' then
    return 'the macro has ended'
  end
  if api.nvim_win_get_config(0).relative ~= '' then
    return 'you leave the floating window'
  end
  if compat.is_in_mapping() or compat.uv.now() - last_key < idle then
    return 'you pause'
  end
  return nil
end

return M
