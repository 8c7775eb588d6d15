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
    HawserWaiting = 'Visual',
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
  if not has_winbar and vim.o.laststatus == 3 then
    -- One statusline for all windows: each of ours says everything.
    local hints = M.fitting_hints(view, keys, math.floor(vim.o.columns * 2 / 3))
    for _, window in pairs(view.windows) do
      M.set(window, { title, hints }, vim.o.columns)
    end
  elseif view.windows.old then
    M.set(view.windows.old, { title })
    M.set(view.windows.new, { M.fitting_hints(view, keys, M.width(view.windows.new)) })
  else
    local width = M.width(view.windows.new)
    local hints = M.fitting_hints(view, keys, width - math.min(M.width_of(title), math.floor(width / 3)))
    M.set(view.windows.new, { title, hints })
  end
end

--- A list of { highlight, text }.
function M.title(view, position)
  local proposal = view.proposal
  local parts = {}
  if position.total > 1 then
    parts[#parts + 1] = ('%d of %d'):format(position.index, position.total)
  end
  parts[#parts + 1] = proposal.title or buffers.tail(proposal.path)
  if proposal.from then
    parts[#parts + 1] = 'from ' .. proposal.from
  end
  if proposal.old == nil then
    parts[#parts + 1] = 'new file'
  end
  local title = { { 'HawserTitle', ' ' .. table.concat(parts, ' · ') .. ' ' } }
  for _, notice in ipairs(view.notices) do
    title[#title + 1] = { 'HawserNotice', ' ' .. notice .. ' ' }
  end
  return title
end

function M.fitting_hints(view, keys, width)
  local hints = M.hints(view, keys, { accept = ' accept', reject = ' reject', accept_hunk = ' +hunk', reject_hunk = ' -hunk' })
  if M.width_of(hints) <= width then
    return hints
  end
  return M.hints(view, keys, { accept = ' accept', reject = ' reject', accept_hunk = '+', reject_hunk = '-' })
end

function M.hints(view, keys, words)
  local count = #view.pair.hunks
  words.next_hunk = ' ' .. (view.hunk and ('%d/%d'):format(view.hunk, count) or tostring(count))
  local hints = {}
  for _, name in ipairs({ 'accept', 'reject', 'accept_hunk', 'reject_hunk', 'next_hunk' }) do
    if keys[name] then
      hints[#hints + 1] = { 'HawserKey', ' ' .. keys[name] }
      hints[#hints + 1] = { 'HawserHint', words[name] }
    end
  end
  return hints
end

function M.width(window)
  return vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_width(window) or 0
end

function M.width_of(segments)
  local width = 0
  for _, segment in ipairs(segments) do
    width = width + vim.fn.strdisplaywidth(M.printable(segment[2]))
  end
  return width
end

function M.printable(text)
  return (text:gsub('%c', ' '))
end

--- Shows parts one after the other; when they do not fit (into the window, or the given width), the first is cut.
function M.set(window, parts, width)
  if not vim.api.nvim_win_is_valid(window) then
    return
  end
  local room = width or M.width(window)
  for index = 2, #parts do
    room = room - M.width_of(parts[index])
  end
  local line = M.render(M.cut(parts[1], math.max(room, 0)))
  for index = 2, #parts do
    line = line .. M.render(parts[index])
  end
  local name = has_winbar and 'winbar' or 'statusline'
  vim.api.nvim_win_call(window, function()
    vim.api.nvim_set_option_value(name, line .. '%<', { scope = 'local' })
  end)
end

function M.render(segments)
  local parts = {}
  for _, segment in ipairs(segments) do
    parts[#parts + 1] = ('%%#%s#%s'):format(segment[1], (M.printable(segment[2]):gsub('%%', '%%%%')))
  end
  return table.concat(parts)
end

function M.cut(segments, room)
  if M.width_of(segments) <= room then
    return segments
  end
  local kept = {}
  for _, segment in ipairs(segments) do
    local text = M.printable(segment[2])
    local width = vim.fn.strdisplaywidth(text)
    if width > room then
      while text ~= '' and vim.fn.strdisplaywidth(text) > room - 1 do
        text = vim.fn.strcharpart(text, 0, vim.fn.strchars(text) - 1)
      end
      kept[#kept + 1] = { segment[1], room > 0 and text .. '…' or '' }
      break
    end
    kept[#kept + 1] = segment
    room = room - width
  end
  return kept
end

return M
