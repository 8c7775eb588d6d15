-- Two texts side by side in Neovim's diff mode, and the options that the windows of a view have.
local compat = require('hawser.compat')
local cursor = require('hawser.diff.cursor')
local proposals = require('hawser.diff.proposal')

local M = {}

local api = vim.api

-- Beyond this the native diff, which Neovim repeats at every change, stalls the editor. Its cost grows with the lines,
-- and with the lines times the hunks.
local MAX_LINES_IN_DIFF_MODE = 50000
local MAX_LINES_TIMES_HUNKS = 40e6
local MAX_BYTES_IN_DIFF_MODE = 4 * 1024 * 1024
local MAX_HUNKS_TO_FOLD_BETWEEN = 1000

---@param view hawser.DiffView
---@return boolean
function M.is_large(view)
  local proposal, pair = view.proposal, view.pair
  return pair.line_count > MAX_LINES_IN_DIFF_MODE
    or pair.line_count * #pair.hunks > MAX_LINES_TIMES_HUNKS
    or math.max(#(proposals.old_text(proposal) or ''), #proposal.new) > MAX_BYTES_IN_DIFF_MODE
end

--- A new window has the options of the one it was split from; those that would disturb are set back.
---@param window integer
---@param buffer integer
function M.show_buffer(window, buffer)
  local options = {
    winfixbuf = false,
    winfixheight = false,
    winfixwidth = false,
    previewwindow = false,
    diff = false,
    scrollbind = false,
    cursorbind = false,
    foldmethod = 'manual',
    foldenable = false,
    winhighlight = '',
    spell = false,
    conceallevel = 0,
  }
  M.set_options(window, options)
  api.nvim_win_set_buf(window, buffer)
  -- Options of a window belong to a buffer in it, so that the new buffer needs them too.
  options.winfixbuf = true
  M.set_options(window, options)
end

---@param window integer
---@param options table<string, any>
function M.set_options(window, options)
  api.nvim_win_call(window, function()
    for name, value in pairs(options) do
      if compat.has_option(name) then
        api.nvim_set_option_value(name, value, { scope = 'local' })
      end
    end
  end)
end

--- Compares both windows of a view.
---@param view hawser.DiffView
function M.start(view)
  if view.large then
    for _, window in pairs(view.windows) do
      M.set_options(window, { wrap = false })
    end
    return
  end
  local scrollopt = vim.o.scrollopt
  for side, window in pairs(view.windows) do
    api.nvim_win_call(window, function()
      vim.cmd('diffthis')
    end)
    -- Finding folds from the diff takes several times as long as the diff; from the hunks they are had for nothing.
    M.set_options(window, { foldmethod = 'manual', foldenable = true, foldlevel = 0 })
    if side == 'old' then
      -- Lines that the other side lacks are lines that go.
      M.set_options(window, { winhighlight = 'DiffAdd:HawserRemoved' })
    end
    M.fold_between_hunks(view, side)
  end
  -- Diff mode adds to this option of all windows, and never takes it back.
  view.scrollopt = { before = scrollopt, during = vim.o.scrollopt }
end

---@param view hawser.DiffView
---@param side hawser.Side
function M.fold_between_hunks(view, side)
  local hunks = view.pair.hunks
  if #hunks == 0 or #hunks > MAX_HUNKS_TO_FOLD_BETWEEN then
    return
  end
  local context = tonumber(vim.o.diffopt:match('context:(%d+)')) or 6
  local last = api.nvim_buf_line_count(view.pair[side])
  api.nvim_win_call(view.windows[side], function()
    local from = 1
    for index = 1, #hunks + 1 do
      local start, count = last + 1 + context, 0
      if hunks[index] then
        start, count = cursor.lines_of(hunks[index], side)
      end
      local to = math.min(start - 1 - context, last)
      if to > from then
        vim.cmd(('%d,%dfold'):format(from, to))
      end
      from = start + count + context
    end
  end)
end

--- Neovim's internal diff follows by itself, another one does not.
---@param view hawser.DiffView
function M.update(view)
  if view.large or vim.o.diffopt:find('internal', 1, true) or not api.nvim_win_is_valid(view.windows.new) then
    return
  end
  api.nvim_win_call(view.windows.new, function()
    vim.cmd('diffupdate')
  end)
end

--- For a view whose windows are closed.
---@param view hawser.DiffView
function M.stop(view)
  if view.scrollopt and vim.o.scrollopt == view.scrollopt.during then
    vim.o.scrollopt = view.scrollopt.before
  end
end

return M
