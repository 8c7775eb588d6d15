-- The line above (or, before Neovim 0.8, below) each of our windows: what is proposed, by whom, and which keys decide.
local choices = require('hawser.diff.choices')
local message = require('hawser.message')

local M = {}

local has_winbar = vim.fn.exists('+winbar') == 1

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
local function removed()
  local definition = { default = true }
  for _, is_rgb in ipairs({ true, false }) do
    local ok, found = pcall(vim.api.nvim_get_hl_by_name, 'DiffDelete', is_rgb)
    local prefix = is_rgb and '' or 'cterm'
    if ok and found.background then
      definition[prefix .. 'bg'] = found.background
    elseif ok and found.foreground then
      definition[prefix .. 'fg'] = found.foreground
    end
  end
  return definition
end

function M.define_highlights()
  local function define()
    for name, link in pairs(LINKS) do
      vim.api.nvim_set_hl(0, name, { link = link, default = true })
    end
    vim.api.nvim_set_hl(0, 'HawserRemoved', removed())
  end
  define()
  vim.api.nvim_create_autocmd('ColorScheme', {
    group = vim.api.nvim_create_augroup('hawser_diff_colours', { clear = true }),
    callback = define,
  })
end

--- Draws the bars of a view. `position` is { index, total } in the queue, `keys` the first key of each action.
function M.draw(view, position, keys)
  local title = M.title(view, position)
  if not has_winbar and vim.o.laststatus == 3 then
    -- One statusline for all windows: show everything in it.
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

function M.agent(proposal)
  return type(proposal.agent) == 'string' and proposal.agent ~= '' and proposal.agent or 'an agent'
end

--- A list of { highlight, text }: the file with its folder, the agent, what is special.
function M.title(view, position)
  local proposal = view.proposal
  local parts = { message.short_path(proposal.path), M.agent(proposal) }
  if type(proposal.set) == 'string' then
    table.insert(parts, 2, proposal.set)
  end
  if position.total > 1 then
    parts[#parts + 1] = ('%d of %d'):format(position.index, position.total)
  end
  local title = {}
  for _, notice in ipairs(view.notices) do
    title[#title + 1] = { 'HawserNotice', ' ' .. notice .. ' ' }
  end
  title[#title + 1] = { 'HawserTitle', ' ' .. table.concat(parts, ' · ') .. ' ' }
  return title
end

local SHORT = { accept = 'yes', reject = 'no', accept_hunk = '+', reject_hunk = '-' }

function M.fitting_hints(view, keys, width)
  local words = { accept = 'accept', reject = 'reject', accept_hunk = '+hunk', reject_hunk = '-hunk' }
  local hints = M.hints(view, keys, words)
  if M.width_of(hints) <= width then
    return hints
  end
  return M.hints(view, keys, SHORT)
end

--- Where the cursor is among the changes, what is decided, and the keys.
function M.hints(view, keys, words)
  local total = #view.pair.hunks
  local counts = choices.count(view.pair)
  local state = words == SHORT and ('%d/%d'):format(view.hunk or 0, total)
    or view.hunk and ('hunk %d of %d'):format(view.hunk, total)
    or ('%d %s'):format(total, total == 1 and 'hunk' or 'hunks')
  if counts.accepted + counts.rejected > 0 then
    state = ('%s, +%d -%d'):format(state, counts.accepted, counts.rejected)
  end
  local hints = { { 'HawserHint', ' ' .. state .. ' ' } }
  for _, name in ipairs({ 'accept', 'reject', 'accept_hunk', 'reject_hunk' }) do
    if keys[name] then
      hints[#hints + 1] = { 'HawserKey', ' ' .. keys[name] }
      hints[#hints + 1] = { 'HawserHint', ' ' .. words[name] }
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
  local kept = {}
  for _, segment in ipairs(segments) do
    local text = M.printable(segment[2])
    local width = vim.fn.strdisplaywidth(text)
    if width > room then
      kept[#kept + 1] = { segment[1], room > 0 and message.cut(text, room) or '' }
      break
    end
    kept[#kept + 1] = segment
    room = room - width
  end
  return kept
end

return M
