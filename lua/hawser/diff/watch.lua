-- Listens to what happens to a view: windows that are closed, `:w`, edits, the cursor.
local buffers = require('hawser.diff.buffers')
local compat = require('hawser.compat')
local cursor = require('hawser.diff.cursor')
local exchange = require('hawser.diff.exchange')
local keys = require('hawser.diff.keys')
local message = require('hawser.message')
local proposals = require('hawser.diff.proposal')
local review = require('hawser.diff.review')
local views = require('hawser.diff.view')

local M = {}

local api = vim.api
local GROUP = 'hawser_diff_view'

--- What is to be done about a view that may not have been seen, or that is entered.
---@alias hawser.DiffQueue { show_again: fun(entry: hawser.DiffEntry), enter: fun(view: hawser.DiffView) }

--- Until stop().
---@param entry hawser.DiffEntry
---@param view hawser.DiffView
---@param queue hawser.DiffQueue
function M.start(entry, view, queue)
  local group = api.nvim_create_augroup(GROUP, { clear = true })
  local function on(events, where, callback)
    api.nvim_create_autocmd(events, vim.tbl_extend('error', { group = group, callback = callback }, where))
  end
  view.watched = true

  local function check_soon()
    view.lost_focus = view.lost_focus or cursor.side(view) ~= nil
    vim.schedule(function()
      M.check(entry, view, queue)
    end)
  end
  for _, window in pairs(view.windows) do
    on('WinClosed', { pattern = tostring(window) }, check_soon)
  end
  -- Closing another tab announces no window before Neovim 0.10.
  on('TabClosed', { pattern = '*' }, check_soon)
  -- An edited proposal does not count as unsaved: :q and quitting Neovim go ahead.
  on('QuitPre', { pattern = '*' }, function()
    M.forget_modified(view)
  end)
  on(vim.tbl_filter(compat.has_event, { 'VimResized', 'WinResized' }), { pattern = '*' }, function()
    if views.is_whole(view) then
      views.draw(view)
      review.draw_bar(view)
    end
  end)
  if view.beside then
    -- A user who leaves terminal mode in the same window goes to the view.
    on('TermLeave', { pattern = '*' }, function()
      vim.schedule(function()
        if view.watched and not cursor.side(view) and api.nvim_get_current_win() == view.place.window then
          queue.enter(view)
        end
      end)
    end)
  end
  on('WinEnter', { pattern = '*' }, function()
    view.roamed = true
  end)
  on('CmdlineLeave', { pattern = ':' }, function()
    if M.is_write_and_quit() and cursor.side(view) then
      view.decision_on_close = exchange.decision(entry, 'accepted')
      check_soon()
    end
  end)
  for _, side in ipairs({ 'old', 'new' }) do
    local buffer = view.pair[side]
    -- `:edit!` throws the edits away, not the proposal.
    on('BufReadCmd', { buffer = buffer }, function()
      local proposal = view.proposal
      local texts = { old = proposals.old_text(proposal), new = proposal.proposed }
      buffers.refill(buffer, proposal, texts[side])
      vim.schedule(function()
        M.follow_edit(entry, view)
      end)
    end)
    keys.map(buffer, review.options.keys, review.actions(entry, view))
    keys.map_undo(buffer, function()
      return review.undo_hunk(entry, view)
    end)
    on({ 'BufUnload', 'BufWipeout', 'BufWinLeave' }, { buffer = buffer }, check_soon)
    on('BufWriteCmd', { buffer = buffer }, function(event)
      M.write(entry, view, event)
    end)
    on('CursorMoved', { buffer = buffer }, function()
      M.follow_cursor(view)
    end)
  end
  on({ 'TextChanged', 'InsertLeave' }, { buffer = view.pair.new }, function()
    M.follow_edit(entry, view)
  end)
  on({ 'TextChangedI', 'TextChangedP' }, { buffer = view.pair.new }, function()
    if views.follows_typing(view) then
      M.follow_edit(entry, view)
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

local ACCEPTING = { wq = true, x = true, xit = true, exit = true, wqa = true, wqall = true, xa = true, xall = true }

--- Whether the user has typed `:wq`, `:x`, `:wqa` or `:xa`, which accept. A plugin that saves types nothing.
---@return boolean
function M.is_write_and_quit()
  local command = not vim.v.event.abort and vim.fn.getcmdline():match('^%s*(%l+)!?%s*$')
  return command and ACCEPTING[command] or false
end

---@param entry hawser.DiffEntry
---@param decision hawser.Decision
local function decide(entry, decision)
  if not review.is_leaving() then
    exchange.decide(entry, decision)
  end
end

--- A view that lost a window or a buffer is rejected, unless :wq closed it, or before it can have been seen.
---@param entry hawser.DiffEntry
---@param view hawser.DiffView
---@param queue hawser.DiffQueue
function M.check(entry, view, queue)
  local decision = view.decision_on_close
  view.decision_on_close = nil
  if not view.watched then
    return
  elseif views.is_whole(view) then
    view.lost_focus = nil
  elseif review.is_held(view) then
    queue.show_again(entry)
  else
    decide(entry, decision or exchange.decision(entry, 'rejected'))
  end
end

---@param entry hawser.DiffEntry
---@param view hawser.DiffView
---@param event table
function M.write(entry, view, event)
  local is_copy = vim.fn.fnamemodify(event.file, ':p') ~= vim.fn.fnamemodify(api.nvim_buf_get_name(event.buf), ':p')
  M.forget_modified(view)
  if view.decision_on_close or (not is_copy and review.is_held(view)) then
    return
  end
  if review.options.accept_on_write and not is_copy then
    local decision = exchange.decision(entry, 'accepted')
    vim.schedule(function()
      decide(entry, decision)
    end)
    return
  end
  local labels = keys.labels(review.options.keys)
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
function M.follow_cursor(view)
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
    review.draw_bar(view)
  end
end

--- The view is drawn again when the hunks of the new text are known.
---@param entry hawser.DiffEntry
---@param view hawser.DiffView
function M.follow_edit(entry, view)
  if views.is_whole(view) then
    M.forget_modified(view)
    if not buffers.is_current(view.pair) then
      exchange.ask_hunks(entry, view)
    end
  end
end

return M
