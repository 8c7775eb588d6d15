-- Brings a buffer up to date with its file and leaves cursors, folds, marks and undo where they are.
local file_changes = require('hawser.file_changes')
local message = require('hawser.message')
local stamps = require('hawser.stamps')

local M = {}

local api = vim.api
local uv = require('hawser.compat').uv

--- Programs empty a file, and then write it in pieces. What lacks the end of the buffer's text is shown when it has
--- been so for this time, and what is empty after the longer one.
local CUT_MS = 100
local EMPTY_MS = 1000
--- After this time it is shown even if it still changes.
local MAX_MS = 2000
--- While there is something to wait for, it is looked at again after this time: no event may come.
local LOOK_MS = 50

--- That a file stays in its `state`, or that the state which was `shown` was the last.
---@class hawser.FileWait
---@field begun number
---@field state? string
---@field since? number
---@field is_due? boolean
---@field shown? string
---@field tick? integer

--- What is waited for, by buffer.
---@type table<integer, hawser.FileWait?>
local waiting = {}

--- The change that the user got a message about last, by buffer.
---@type table<integer, string>
local reported = {}

---@return number
local function now_ms()
  return uv.hrtime() / 1e6
end

---@param buf integer
---@return hawser.FileWait
local function wait_for(buf)
  waiting[buf] = waiting[buf] or { begun = now_ms() }
  return waiting[buf]
end

---@param buf integer
local function look_again(buf)
  local wait = wait_for(buf)
  if wait.is_due then
    return
  end
  wait.is_due = true
  vim.defer_fn(function()
    wait.is_due = false
    if waiting[buf] ~= wait then
      return
    end
    local ok, problem = pcall(M.run, buf)
    if not ok then
      waiting[buf] = nil
      message.say('a changed file was not read: ' .. tostring(problem), 'WARN')
    end
  end, LOOK_MS)
end

--- Whether a file has been in this state for this long; if not, it is looked at again.
---@param buf integer
---@param state string
---@param time_ms integer
---@return boolean
local function is_steady(buf, state, time_ms)
  local now = now_ms()
  local wait = wait_for(buf)
  if wait.state ~= state then
    wait.state, wait.since = state, now
  end
  if now - wait.since >= time_ms or now - wait.begun >= MAX_MS then
    return true
  end
  look_again(buf)
  return false
end

--- Does what may read the file again, and lets windows show the same place.
---@param buf integer
---@param read fun()
local function with_views(buf, read)
  local views = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    views[win] = api.nvim_win_call(win, vim.fn.winsaveview)
  end
  local ok, problem = pcall(read)
  for win, view in pairs(views) do
    if api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == buf then
      api.nvim_win_call(win, function()
        vim.fn.winrestview(view)
      end)
    end
  end
  if not ok then
    error(problem, 0)
  end
end

--- Lets Neovim read the file if it has another time than Neovim knows. True if it has read it.
---@param buf integer
---@return boolean
local function check(buf)
  -- What is written while it reads may not be in what it reads.
  local stamp = stamps.now(buf)
  local has_read = false
  local autocmds = {
    -- Also without 'autoread': the option `reload` is the user's consent.
    api.nvim_create_autocmd('FileChangedShell', {
      buffer = buf,
      callback = function()
        vim.v.fcs_choice = 'reload'
      end,
    }),
    api.nvim_create_autocmd('FileChangedShellPost', {
      buffer = buf,
      callback = function()
        has_read = true
      end,
    }),
  }
  local ok, problem = pcall(with_views, buf, function()
    vim.cmd('silent checktime ' .. buf)
  end)
  for _, autocmd in ipairs(autocmds) do
    api.nvim_del_autocmd(autocmd)
  end
  if not ok then
    error(problem, 0)
  end
  if has_read then
    stamps.remember(buf, stamp)
  end
  return has_read
end

--- For what Neovim does not see, or would ask about.
---@param buf integer
local function read_anew(buf)
  -- Or nothing would be left on the screen.
  if vim.fn.filereadable(api.nvim_buf_get_name(buf)) == 0 then
    return
  end
  local options, stamp = vim.bo[buf], stamps.now(buf)
  local how = ' ++ff=' .. options.fileformat
  if options.fileencoding ~= '' then
    how = how .. ' ++enc=' .. options.fileencoding
  end
  with_views(buf, function()
    api.nvim_buf_call(buf, function()
      vim.cmd('silent keepalt keepjumps edit!' .. (options.binary and ' ++bin' or how))
    end)
  end)
  stamps.remember(buf, stamp)
end

--- The buffer holds the text that the file had at `stamp`: Neovim need not read it, or ask before it writes it.
---@param buf integer
---@param stamp hawser.Stamp
local function accept(buf, stamp)
  stamps.remember(buf, stamp)
  -- What was written since is not in the buffer. The next look at the file finds it; until then Neovim asks.
  if stamps.now(buf).key == stamp.key and not stamps.take_for_read(buf) then
    read_anew(buf)
  end
end

--- `changes` are what Neovim would read, as far as we know them.
---@param buf integer
---@param stamp hawser.Stamp
---@param changes? hawser.FileChanges
local function show(buf, stamp, changes)
  waiting[buf] = nil
  local known = stamps.known(buf)
  if changes and pcall(file_changes.apply, buf, changes) then
    accept(buf, stamp)
    return
  end
  if check(buf) then
    return
  end
  if known and not known.is_guess then
    read_anew(buf)
  else
    -- Neovim takes it for the one that it has read.
    stamps.remember(buf, stamp)
  end
end

---@param buf integer
---@param stamp hawser.Stamp
local function report_kept(buf, stamp)
  local known = stamps.known(buf)
  local is_news = known and known.key ~= stamp.key and reported[buf] ~= stamp.key
  if is_news and not is_steady(buf, stamp.key, stamp.size == 0 and EMPTY_MS or CUT_MS) then
    return
  end
  waiting[buf] = nil
  if is_news then
    reported[buf] = stamp.key
    local name = vim.fn.fnamemodify(api.nvim_buf_get_name(buf), ':t')
    message.say('changed on disk; your text was kept, :e! reloads', 'WARN', name)
  end
end

--- Shows what the file holds, at once or when it seems to be whole; until then it looks again by itself. A buffer with
--- unsaved text stays, and the user gets one message.
---@param buf integer
function M.run(buf)
  local stamp = api.nvim_buf_is_loaded(buf) and stamps.now(buf)
  -- A file that is not there may be on its way: some programs delete before they write.
  if not stamp or stamp.is_absent then
    waiting[buf] = nil
    return
  end
  if vim.bo[buf].modified then
    report_kept(buf, stamp)
    return
  end
  -- In the window of the command line Neovim reads no file.
  if vim.fn.getcmdwintype() ~= '' then
    look_again(buf)
    return
  end
  local wait, known = waiting[buf], stamps.known(buf)
  -- If a file is created after its buffer, Neovim asks whether to load it.
  if known and known.is_absent then
    waiting[buf] = nil
    read_anew(buf)
    return
  end
  local is_untouched = not wait and stamps.is_untouched(buf, stamp)
  local text = not is_untouched and file_changes.text_of(buf) or nil
  local changes = text and file_changes.to(buf, text)
  local state = text or stamp.key
  local is_known = known and known.key == stamp.key
  if is_known and wait and wait.shown == state and wait.tick == api.nvim_buf_get_changedtick(buf) then
    waiting[buf] = nil
    return
  end
  local is_same = known and is_known and not known.is_guess
  if not changes and (text or is_same) then
    waiting[buf] = nil
    if text then
      accept(buf, stamp)
    else
      check(buf)
    end
    return
  end
  local is_empty = (text and #text or stamp.size) == 0
  local time_ms = is_empty and EMPTY_MS or changes and changes.is_cut and CUT_MS or 0
  if time_ms > 0 and not is_steady(buf, state, time_ms) then
    return
  end
  show(buf, stamp, changes)
  -- It may have been written while it was read.
  waiting[buf] = { begun = now_ms(), shown = state, tick = api.nvim_buf_get_changedtick(buf) }
  look_again(buf)
end

--- Lets Neovim read a file that has changed since it did, so that it can write it without asking the user.
---@param buf integer
function M.before_writing(buf)
  local known = stamps.known(buf)
  if known and known.key ~= stamps.now(buf).key then
    waiting[buf] = nil
    read_anew(buf)
  end
end

return M
