-- The line above (or, before Neovim 0.8, below) each of our windows: what is proposed, by whom, and which keys decide.
local buffers = require('hawser.diff.buffers')

local M = {}

local has_winbar = vim.fn.exists('+winbar') == 1

function M.define_highlights()
  for name, link in pairs({
    HawserTitle = 'Title',
    HawserKey = 'Special',
    HawserHint = 'Comment',
    HawserNotice = 'WarningMsg',
    HawserAdded = 'DiffAdd',
    HawserRemoved = 'DiffDelete',
    HawserChanged = 'DiffChange',
  }) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
end

--- Draws the bars of a view. `position` is { index, total } in the queue, `keys` the first key of each action.
function M.draw(view, position, keys)
  local title = M.title(view, position)
  local hints = M.hints(view, keys)
  if view.windows.old then
    M.set(view.windows.old, title)
    M.set(view.windows.new, hints)
  else
    M.set(view.windows.new, title .. '  ' .. hints)
  end
end

function M.title(view, position)
  local proposal = view.proposal
  local parts = {}
  if position.total > 1 then
    parts[#parts + 1] = ('%d of %d'):format(position.index, position.total)
  end
  parts[#parts + 1] = M.literal(proposal.title or buffers.tail(proposal.path))
  if proposal.from then
    parts[#parts + 1] = 'from ' .. M.literal(proposal.from)
  end
  if proposal.old == nil then
    parts[#parts + 1] = 'new file'
  end
  local line = '%#HawserTitle# ' .. table.concat(parts, ' · ') .. ' '
  for _, notice in ipairs(view.notices) do
    line = line .. '%#HawserNotice# ' .. M.literal(notice) .. ' '
  end
  return line .. '%<'
end

function M.hints(view, keys)
  local parts = {}
  local function hint(name, what)
    if keys[name] then
      parts[#parts + 1] = '%#HawserKey# ' .. M.literal(keys[name]) .. '%#HawserHint# ' .. what
    end
  end
  hint('accept', 'accept')
  hint('reject', 'reject')
  hint('accept_hunk', '+hunk')
  hint('reject_hunk', '-hunk')
  local count = #view.pair.hunks
  local where = view.hunk and ('%d/%d'):format(view.hunk, count) or tostring(count)
  hint('next_hunk', where)
  return table.concat(parts) .. ' %<'
end

function M.literal(text)
  return (text:gsub('%c', ' '):gsub('%%', '%%%%'))
end

function M.set(window, line)
  if not vim.api.nvim_win_is_valid(window) then
    return
  end
  local name = has_winbar and 'winbar' or 'statusline'
  vim.api.nvim_win_call(window, function()
    vim.api.nvim_set_option_value(name, line, { scope = 'local' })
  end)
end

return M
