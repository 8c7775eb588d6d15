-- Messages to the user. Each is one line that fits on the screen, so that Neovim never asks for <Enter>.
local M = {}

local api = vim.api
local uv = require('hawser.compat').uv

--- How many cells a message can take.
---@return integer
local function room()
  local space = vim.v.echospace
  if type(space) ~= 'number' or space <= 0 then
    space = vim.o.columns - 13
  end
  return math.max(space, 20)
end

--- Cuts the end off a text that takes more cells than these.
---@param text string
---@param cells integer
---@return string
function M.cut(text, cells)
  if vim.fn.strdisplaywidth(text) <= cells then
    return text
  end
  while text ~= '' and vim.fn.strdisplaywidth(text) > cells - 1 do
    text = vim.fn.strcharpart(text, 0, vim.fn.strchars(text) - 1)
  end
  return text .. '…'
end

--- The end of a name, if all of it takes more cells than these.
---@param name string
---@param cells integer
---@return string
local function cut_start(name, cells)
  if vim.fn.strdisplaywidth(name) <= cells then
    return name
  end
  while name ~= '' and vim.fn.strdisplaywidth(name) > cells - 1 do
    name = vim.fn.strcharpart(name, 1)
  end
  return '…' .. name
end

local last_at = 0

---@param text string
---@param level? string
---@param name? string
local function show(text, level, name)
  local start = 'Hawser: '
  text = text:gsub('%c', ' ')
  if name then
    start = start .. cut_start(name:gsub('%c', '?'), room() - vim.fn.strdisplaywidth(start .. ' ' .. text)) .. ' '
  end
  local line = M.cut(start .. text, room())
  local now = uv.now()
  if now - last_at < 50 then
    -- Two messages at once would be two lines, for which Neovim asks for <Enter>. The first is in :messages.
    pcall(api.nvim_command, 'redraw')
  end
  last_at = now
  -- Plugins replace vim.notify, and theirs can fail.
  pcall(vim.notify, line, vim.log.levels[level or 'INFO'])
end

--- `level` is a name from |vim.log.levels|, INFO by default. Can be called at any time; while Neovim starts, the
--- message comes after that. `name` is put before the text; where there is no room for both, the start of the name is
--- cut off.
---@param text string
---@param level? string
---@param name? string
function M.say(text, level, name)
  if vim.in_fast_event() then
    vim.schedule(function()
      M.say(text, level, name)
    end)
  elseif vim.v.vim_did_enter == 0 then
    api.nvim_create_autocmd('VimEnter', {
      once = true,
      callback = vim.schedule_wrap(function()
        show(text, level, name)
      end),
    })
  else
    show(text, level, name)
  end
end

--- The name of a file with the folder it is in, for display.
---@param path? string
---@return string
function M.short_path(path)
  local parent, name = (path or ''):match('([^/\\]+)[/\\]+([^/\\]+)[/\\]*$')
  return (parent and parent .. '/' .. name or (path or ''):match('[^/\\]+$') or 'untitled'):gsub('%c', '?')
end

return M
