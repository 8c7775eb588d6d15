-- What the file of a buffer was like when Neovim read or wrote it.
local M = {}

local api = vim.api
local uv = require('hawser.compat').uv

---@class hawser.Stamp
---@field key string When the file was written and how large it is
---@field size integer
---@field changed_at? string The time that programs can't set
---@field is_exact? boolean No later write leaves both times as they are
---@field is_absent? boolean
---@field is_guess? boolean The buffer had been read before we watched: its text may be older than that
---@field is_other_text? boolean Autocommands have changed the text since it was written

--- By buffer.
---@type table<integer, hawser.Stamp>
local known = {}

--- Written twice within this time, a file may keep its times: filesystems count them in steps.
local STEP_MS = 20

--- What the file is like now.
---@param buf integer
---@return hawser.Stamp
function M.now(buf)
  local stat = uv.fs_stat(api.nvim_buf_get_name(buf))
  if not stat then
    return { key = 'absent', size = 0, is_absent = true }
  end
  local seconds, microseconds = uv.gettimeofday()
  local age_ms = (seconds - stat.ctime.sec) * 1000 + microseconds / 1000 - stat.ctime.nsec / 1e6
  return {
    key = ('%d.%d %d %d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size, stat.ino),
    size = stat.size,
    changed_at = ('%d.%d'):format(stat.ctime.sec, stat.ctime.nsec),
    -- Some count whole seconds.
    is_exact = stat.ctime.nsec ~= 0 and age_ms > STEP_MS,
  }
end

--- What the file was like when Neovim read or wrote it.
---@param buf integer
---@return hawser.Stamp?
function M.known(buf)
  return known[buf]
end

---@param buf integer
---@param stamp hawser.Stamp
function M.remember(buf, stamp)
  known[buf] = api.nvim_buf_get_name(buf) ~= '' and stamp or nil
end

--- Whether the file can't have been written since.
---@param buf integer
---@param stamp hawser.Stamp
---@return boolean
function M.is_untouched(buf, stamp)
  local before = known[buf]
  return before ~= nil
    and before.is_exact == true
    and not before.is_guess
    and before.key == stamp.key
    and before.changed_at == stamp.changed_at
end

--- Makes Neovim take the file as it is for the one that it has read; otherwise it asks before it writes the file.
--- Nothing is read or written: after a BufWriteCmd, Neovim assumes that the file was written and notes its time.
--- The caller makes sure that no other BufWriteCmd applies. Returns false if Neovim did not note the time.
---@param buf integer
---@return boolean
function M.take_for_read(buf)
  local group = api.nvim_create_augroup('HawserTakeForRead', { clear = true })
  api.nvim_create_autocmd('BufWriteCmd', { group = group, buffer = buf, callback = function() end })
  local ok = pcall(api.nvim_buf_call, buf, function()
    -- Such a buffer is written by autocommands alone: if ours is ignored, Neovim leaves the file as it is.
    vim.cmd('noautocmd setlocal buftype=acwrite')
    local ok, problem = pcall(api.nvim_command, 'silent lockmarks write!')
    vim.cmd('noautocmd setlocal buftype=')
    if not ok then
      error(problem, 0)
    end
  end)
  -- Neovim 0.7 goes on counting an autocommand that was deleted by its number.
  api.nvim_clear_autocmds({ group = group })
  return ok
end

--- When Neovim read the file, by buffer.
---@type table<integer, integer>
local read_at = {}

--- How many milliseconds ago that was; nil for a buffer that was read before we watched.
---@param buf integer
---@return integer?
function M.age_ms(buf)
  return read_at[buf] and uv.now() - read_at[buf]
end

--- Autocommands that follow ours can change the text that was written, for example decipher it again.
---@param buf integer
---@param stamp hawser.Stamp
local function note_other_text(buf, stamp)
  local tick = api.nvim_buf_get_changedtick(buf)
  vim.schedule(function()
    stamp.is_other_text = api.nvim_buf_is_valid(buf) and api.nvim_buf_get_changedtick(buf) ~= tick
  end)
end

--- From the first bridge on.
function M.watch()
  local group = api.nvim_create_augroup('HawserFiles', { clear = true })
  api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufWritePost' }, {
    group = group,
    callback = function(event)
      local stamp = M.now(event.buf)
      stamp.is_exact = stamp.is_exact or event.event == 'BufWritePost'
      if event.event == 'BufReadPost' then
        read_at[event.buf] = uv.now()
      end
      M.remember(event.buf, stamp)
      if event.event == 'BufWritePost' then
        note_other_text(event.buf, stamp)
      end
    end,
  })
  api.nvim_create_autocmd('BufWipeout', {
    group = group,
    callback = function(event)
      known[event.buf], read_at[event.buf] = nil, nil
    end,
  })
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buf) and not known[buf] then
      local stamp = M.now(buf)
      stamp.is_guess = true
      M.remember(buf, stamp)
    end
  end
end

return M
