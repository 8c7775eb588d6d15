-- Listens to what happens to a view: windows that are closed, `:w`, edits, the cursor.
local buffers = require('hawser.diff.buffers')
local compat = require('hawser.compat')
local cursor = require('hawser.diff.cursor')
local keys = require('hawser.diff.keys')
local message = require('hawser.message')
local views = require('hawser.diff.view')

local M = {}

local api = vim.api
local GROUP = 'hawser_diff_view'

--- What is to be done about it.
---@class hawser.DiffHandlers
---@field keys table<hawser.DiffAction, string|string[]|false>
---@field actions table<hawser.DiffAction, fun()>
---@field undo fun(): boolean
---@field acceptance fun(): hawser.Decision
---@field rejection fun(): hawser.Decision
---@field show_again fun()
---@field accepts_on_write fun(): boolean
---@field decide fun(decision: hawser.Decision)
---@field edited fun()
---@field enter fun()
---@field redraw fun()
---@field redraw_bar fun()

--- Until stop().
---@param view hawser.DiffView
---@param to hawser.DiffHandlers
function M.start(view, to)
  local group = api.nvim_create_augroup(GROUP, { clear = true })
  local function on(events, where, callback)
    api.nvim_create_autocmd(events, vim.tbl_extend('error', { group = group, callback = callback }, where))
  end
  view.watched = true

  local function check_soon()
    view.lost_focus = view.lost_focus or cursor.side(view) ~= nil
    vim.schedule(function()
      M.check(view, to)
    end)
  end
  for _, window in pairs(view.windows) do
    on('WinClosed', { pattern = tostring(window) }, check_soon)
  end
  -- Closing another tab announces no window before Neovim 0.10.
  on('TabClosed', { pattern = '*' }, check_soon)
  -- An edited proposal is nothing unsaved: it must hold up neither :q nor the end of Neovim.
  on('QuitPre', { pattern = '*' }, function()
    M.forget_modified(view)
  end)
  on(vim.tbl_filter(compat.has_event, { 'VimResized', 'WinResized' }), { pattern = '*' }, to.redraw)
  if view.beside then
    -- A user who leaves terminal mode in the same window goes to the view.
    on('TermLeave', { pattern = '*' }, function()
      vim.schedule(function()
        if view.watched and not cursor.side(view) and api.nvim_get_current_win() == view.place.window then
          to.enter()
        end
      end)
    end)
  end
  on('WinEnter', { pattern = '*' }, function()
    view.roamed = true
  end)
  on('CmdlineLeave', { pattern = ':' }, function()
    if M.is_write_and_quit() and cursor.side(view) then
      view.decision_on_close = to.acceptance()
      check_soon()
    end
  end)
  for _, side in ipairs({ 'old', 'new' }) do
    local buffer = view.pair[side]
    -- `:edit!` throws the edits away, not the proposal.
    on('BufReadCmd', { buffer = buffer }, function()
      if side == 'old' then
        buffers.refill_old(view.pair, view.proposal)
      else
        buffers.refill_new(view.pair, view.proposal, view.proposal.proposed)
      end
      vim.schedule(function()
        M.follow_edit(view, to)
      end)
    end)
    keys.map(buffer, to.keys, to.actions)
    keys.map_undo(buffer, to.undo)
    on({ 'BufUnload', 'BufWipeout', 'BufWinLeave' }, { buffer = buffer }, check_soon)
    on('BufWriteCmd', { buffer = buffer }, function(event)
      M.write(view, to, event)
    end)
    on('CursorMoved', { buffer = buffer }, function()
      M.follow_cursor(view, to)
    end)
  end
  on({ 'TextChanged', 'InsertLeave' }, { buffer = view.pair.new }, function()
    M.follow_edit(view, to)
  end)
  on({ 'TextChangedI', 'TextChangedP' }, { buffer = view.pair.new }, function()
    if views.follows_typing(view) then
      M.follow_edit(view, to)
    end
  end)
  on('BufModifiedSet', { buffer = view.pair.new }, function()
    M.forget_modified(view)
  end)
end

---@param view hawser.DiffView
function M.stop(view)
  view.watched = false
  api.nvim_create_augroup(GROUP, { clear = true })
end

--- For this time no key decides or edits: it was typed before the user can have seen what is shown.
---@param view hawser.DiffView
---@param time_ms integer
function M.hold(view, time_ms)
  if time_ms <= 0 then
    return
  end
  local hold = {}
  view.hold = hold
  vim.bo[view.pair.new].modifiable = false
  vim.defer_fn(function()
    if view.hold ~= hold then
      return
    end
    view.hold = nil
    if api.nvim_buf_is_loaded(view.pair.new) then
      vim.bo[view.pair.new].modifiable = true
    end
  end, time_ms)
end

--- Whether keys decide nothing yet; if so, the user gets a message.
---@param view hawser.DiffView
---@return boolean
function M.is_held(view)
  if view.hold then
    message.say('this proposal has just appeared: look at it, then decide')
  end
  return view.hold ~= nil
end

local ACCEPTING = { wq = true, x = true, xit = true, exit = true, wqa = true, wqall = true, xa = true, xall = true }

--- Whether the user has typed `:wq`, `:x`, `:wqa` or `:xa`, which accept. A plugin that saves types nothing.
---@return boolean
function M.is_write_and_quit()
  local command = not vim.v.event.abort and vim.fn.getcmdline():match('^%s*(%l+)!?%s*$')
  return command and ACCEPTING[command] or false
end

--- A view that lost a window or a buffer is rejected, unless :wq closed it, or before it can have been seen.
---@param view hawser.DiffView
---@param to hawser.DiffHandlers
function M.check(view, to)
  local decision = view.decision_on_close
  view.decision_on_close = nil
  if not view.watched then
    return
  elseif views.is_whole(view) then
    view.lost_focus = nil
  elseif M.is_held(view) then
    to.show_again()
  else
    to.decide(decision or to.rejection())
  end
end

---@param view hawser.DiffView
---@param to hawser.DiffHandlers
---@param event table
function M.write(view, to, event)
  local is_copy = vim.fn.fnamemodify(event.file, ':p') ~= vim.fn.fnamemodify(api.nvim_buf_get_name(event.buf), ':p')
  M.forget_modified(view)
  if view.decision_on_close or (not is_copy and M.is_held(view)) then
    return
  end
  if to.accepts_on_write() and not is_copy then
    local decision = to.acceptance()
    vim.schedule(function()
      to.decide(decision)
    end)
    return
  end
  local labels = keys.labels(to.keys)
  local how = 'nothing is written here. Accept: %s. Reject: %s or :q'
  message.say(how:format(labels.accept or ':Hawser accept', labels.reject or ':Hawser reject'))
end

---@param view hawser.DiffView
function M.forget_modified(view)
  local buffer = view.pair.new
  if api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].modified then
    vim.bo[buffer].modified = false
  end
end

---@param view hawser.DiffView
---@param to hawser.DiffHandlers
function M.follow_cursor(view, to)
  if not views.is_whole(view) then
    return
  end
  cursor.uncover_first_lines(view)
  if not buffers.is_current(view.pair) then
    return
  end
  local hunk = cursor.hunk_at_cursor(view)
  if hunk and hunk ~= view.hunk then
    view.hunk = hunk
    to.redraw_bar()
  end
end

--- The view is drawn again when the hunks of the new text are known.
---@param view hawser.DiffView
---@param to hawser.DiffHandlers
function M.follow_edit(view, to)
  if views.is_whole(view) then
    M.forget_modified(view)
    to.edited()
  end
end

return M
