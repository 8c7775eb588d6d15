-- Listens to what happens to a view: windows that are closed, `:w`, edits, the cursor.
local buffers = require('hawser.diff.buffers')
local cursor = require('hawser.diff.cursor')
local keys = require('hawser.diff.keys')
local ready = require('hawser.diff.ready')
local views = require('hawser.diff.view')

local M = {}

local api = vim.api
local GROUP = 'hawser_diff_view'

--- Until stop(). `to` has keys, actions, accepts_on_write(), decide(decision), redraw().
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
  on('VimResized', { pattern = '*' }, to.redraw)
  on('WinEnter', { pattern = '*' }, function()
    view.roamed = true
  end)
  on('CmdlineLeave', { pattern = ':' }, function()
    if M.is_write_and_quit() and cursor.side(view) then
      view.verdict = { kind = 'accepted', text = buffers.text(view.pair, 'new') }
      check_soon()
    end
  end)
  for _, side in ipairs({ 'old', 'new' }) do
    local buffer = view.pair[side]
    -- `:edit!` throws the edits away, not the proposal.
    on('BufReadCmd', { buffer = buffer }, function()
      buffers.refill(view.pair, view.proposal, side)
      vim.schedule(function()
        M.follow_edit(view, to)
      end)
    end)
    keys.map(buffer, to.keys, to.actions)
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

function M.stop()
  api.nvim_create_augroup(GROUP, { clear = true })
end

--- Typed by a person: `:wq` and `:x` say both what is wanted and that it is all. A plugin that saves types nothing.
function M.is_write_and_quit()
  local command = not vim.v.event.abort and vim.fn.getcmdline():match('^%s*(%l+)!?%s*$')
  return command == 'wq' or command == 'x' or command == 'xit' or command == 'exit'
end

--- A view that lost a window or a buffer is rejected, unless it went with :wq.
function M.check(view, to)
  local verdict = view.verdict
  view.verdict = nil
  if views.is_whole(view) then
    view.lost_focus = nil
  else
    to.decide(verdict or { kind = 'rejected' })
  end
end

function M.write(view, to, event)
  local is_copy = vim.fn.fnamemodify(event.file, ':p') ~= vim.fn.fnamemodify(api.nvim_buf_get_name(event.buf), ':p')
  M.forget_modified(view)
  if view.verdict then
    return
  end
  if to.accepts_on_write() and not is_copy then
    local decision = { kind = 'accepted', text = buffers.text(view.pair, 'new') }
    vim.schedule(function()
      to.decide(decision)
    end)
    return
  end
  local labels = keys.labels(to.keys)
  local how = 'Hawser: nothing is written here. Accept: %s. Reject: %s or :q'
  ready.say(how:format(labels.accept or ':HawserAccept', labels.reject or ':HawserReject'))
end

function M.forget_modified(view)
  local buffer = view.pair.new
  if api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].modified then
    vim.bo[buffer].modified = false
  end
end

function M.follow_cursor(view, to)
  if not views.is_whole(view) then
    return
  end
  cursor.uncover_first_lines(view)
  local ticks = view.pair.ticks
  if api.nvim_buf_get_changedtick(view.pair.new) ~= ticks.new then
    return
  end
  local hunk = cursor.hunk_at_cursor(view)
  if hunk and hunk ~= view.hunk then
    view.hunk = hunk
    to.redraw()
  end
end

function M.follow_edit(view, to)
  if not views.is_whole(view) then
    return
  end
  M.forget_modified(view)
  views.draw(view)
  view.hunk = cursor.hunk_at_cursor(view)
  to.redraw()
end

return M
