-- The proposals that are open: which one is on the screen, which wait, and when the next one is shown.
local bar = require('hawser.diff.bar')
local buffers = require('hawser.diff.buffers')
local cursor = require('hawser.diff.cursor')
local hint = require('hawser.diff.hint')
local keys = require('hawser.diff.keys')
local message = require('hawser.message')
local ready = require('hawser.diff.ready')
local review = require('hawser.diff.review')
local views = require('hawser.diff.view')
local watch = require('hawser.diff.watch')

local M = {}

local uv = vim.uv or vim.loop
local POLL_MS = 100

local options
-- { proposal, view, is_deciding }, in order of arrival; only the first is ever on the screen.
local queue = {}
-- How many of the proposals that wait together are decided: the 1 of "2 of 3".
local decided = 0
local timer
local leaving = false

function M.default_options()
  return { layout = 'split', keys = keys.defaults, accept_on_write = false, idle = 200, grace = 600 }
end

function M.use(settings)
  options, review.options = settings, settings
  bar.define_highlights()
  ready.watch_keys()
end

function M.listen(listeners)
  review.listeners = listeners
end

function M.add(proposal)
  if not options then
    M.use(M.default_options())
  end
  queue[#queue + 1] = { proposal = proposal }
  M.advance(options.idle)
end

function M.find(id)
  for _, entry in ipairs(queue) do
    if entry.proposal.id == id then
      return entry
    end
  end
  return nil
end

--- The entry of this id, or the one on the screen; without one the user gets a message.
function M.chosen(id)
  local shown = queue[1] and queue[1].view and queue[1] or nil
  local entry = shown
  if id ~= nil then
    entry = M.find(id)
  end
  if not entry then
    message.say(id ~= nil and 'there is no such proposal' or 'no proposal is shown')
  end
  return entry
end

--- Proposals in order: { id, path, agent, state = 'shown' | 'waiting' }.
function M.pending()
  return vim.tbl_map(function(entry)
    local proposal = entry.proposal
    return {
      id = proposal.id,
      path = proposal.path,
      agent = proposal.agent,
      state = entry.view and 'shown' or 'waiting',
    }
  end, queue)
end

--- For a statusline: how many proposals wait, or an empty text.
function M.indicator()
  local waiting = #queue
  if queue[1] and queue[1].view then
    waiting = waiting - 1
  end
  if waiting == 0 then
    return ''
  end
  return waiting == 1 and '1 proposal waits' or ('%d proposals wait'):format(waiting)
end

--- Takes a proposal away; see diff.lua.
function M.close(id)
  local entry = M.find(id)
  if not entry then
    return nil
  end
  local view = entry.view
  local closed = { path = entry.proposal.path, was_shown = view ~= nil, is_decided_here = entry.is_deciding }
  if view and not entry.is_deciding then
    closed.kept = buffers.keep(view.pair, entry.proposal)
  end
  decided = entry.is_deciding and decided + 1 or decided
  queue = vim.tbl_filter(function(other)
    return other ~= entry
  end, queue)
  local was_attended = M.take_down(entry)
  if #queue == 0 then
    decided = 0
  end
  -- A user who has just decided is reviewing: the next one can follow at once.
  M.advance(was_attended and entry.is_deciding and 0 or options.idle, was_attended and view or nil)
  return closed
end

--- Takes everything away. The last comes first, so that none is shown on the way.
function M.close_all()
  local count, kept = #queue, nil
  while #queue > 0 do
    kept = M.close(queue[#queue].proposal.id).kept or kept
  end
  if kept then
    message.say(('the proposal is closed; your text is in :b %s'):format(kept), 'WARN')
  end
  return count
end

function M.refresh(proposal)
  local entry = M.find(proposal.id)
  if entry then
    review.refresh(entry, proposal)
  end
end

--- The bridge knows a newer text of the file than the one that was decided about.
function M.refuse_stale(id)
  local entry = M.find(id)
  if not entry then
    return
  end
  entry.is_deciding = false
  message.say('the file has changed; look again before you accept', 'WARN')
  if entry.view and not views.is_whole(entry.view) then
    M.show_again(entry)
  end
end

function M.set_hunks(id, ...)
  local entry = M.find(id)
  if entry then
    review.set_hunks(entry, ...)
  end
end

--- Accepts a proposal as it stands: the one on the screen, or by id.
function M.accept(id)
  local entry = M.chosen(id)
  return entry ~= nil and review.accept(entry)
end

function M.reject(id)
  local entry = M.chosen(id)
  return entry ~= nil and review.reject(entry)
end

local function with_shown(action, ...)
  local entry = M.chosen(nil)
  return entry ~= nil and action(entry, ...)
end

function M.move_by(direction)
  with_shown(review.move_by, direction)
end

function M.choose_hunk(choice)
  with_shown(review.choose_hunk, choice)
end

function M.undo_hunk()
  return with_shown(review.undo_hunk)
end

--- Goes to the first proposal, shown or not. False when that is not possible now.
function M.reveal()
  local first = queue[1]
  if not first then
    message.say('no proposal is open')
    return false
  end
  M.advance(0)
  if not first.view then
    return false
  end
  M.enter(first.view)
  return true
end

--- Moves the focus to a view that the user is not in.
function M.enter(view)
  hint.hide()
  if not cursor.side(view) then
    views.remember_place(view)
    vim.api.nvim_set_current_win(view.windows.new)
    cursor.go_to_hunk(view, view.hunk or 1)
  end
end

--- Returns whether the user was in its view.
function M.take_down(entry)
  local view = entry.view
  entry.view = nil
  if not view then
    return false
  end
  watch.stop(view)
  local ok, result = pcall(views.close, view)
  if not ok then
    message.say('the view could not be closed: ' .. tostring(result), 'ERROR')
  end
  return ok and result
end

--- Shows the first proposal if it can be shown now, else makes sure that it will be. `after` is the view that the user
--- was in a moment ago.
function M.advance(idle, after)
  local entry = queue[1]
  local is_back = after ~= nil and after.place.was_in_terminal
  review.position = { index = decided + 1, total = decided + #queue }
  if leaving or not entry or entry.view then
    M.stop_polling()
    if entry and entry.view then
      review.draw_bar(entry.view)
      return
    end
    hint.hide()
    if is_back then
      views.enter_terminal(after)
    end
    return
  end
  local obstacle, kind = ready.obstacle(idle)
  if obstacle and not (kind == 'terminal' and views.can_open_beside()) then
    if is_back then
      views.enter_terminal(after)
    end
    M.wait_for(entry, obstacle)
    return
  end
  M.stop_polling()
  hint.hide()
  M.present(entry, { beside = kind == 'terminal', was_in_terminal = kind == 'terminal' or is_back })
end

function M.present(entry, how)
  local proposal = entry.proposal
  how.layout = proposal.layout or options.layout
  local ok, view = pcall(views.open, proposal, how)
  if not ok then
    -- It stays open for other reviewers, and is shown here when there is room.
    if not entry.is_reported then
      entry.is_reported = true
      message.say(('%s cannot be shown: %s'):format(message.short_path(proposal.path), tostring(view)), 'WARN')
    end
    M.start_polling()
    return
  end
  entry.view = view
  view.chosen, view.actions = {}, {}
  watch.start(view, M.handlers(entry))
  review.draw_bar(view)
  if how.beside then
    hint.show(('%s: <C-\\><C-n> goes to the proposal'):format(message.short_path(proposal.path)))
    return
  end
  watch.hold(view, options.grace)
  if vim.o.laststatus == 0 and vim.fn.exists('+winbar') == 0 then
    local labels = keys.labels(options.keys)
    message.say(('accept %s, reject %s'):format(labels.accept or ':HawserAccept', labels.reject or ':HawserReject'))
  end
end

--- Shows a proposal again whose view was closed before the user can have seen it.
function M.show_again(entry)
  M.take_down(entry)
  M.advance(options.idle)
end

function M.handlers(entry)
  local view = entry.view
  local function act(action, ...)
    local args = { ... }
    return function()
      return action(entry, unpack(args))
    end
  end
  --- Keys can have been typed before the user saw the view; commands are meant.
  local function act_if_seen(...)
    local action = act(...)
    return function()
      if not watch.is_held(view) then
        action()
      end
    end
  end
  return {
    keys = options.keys,
    actions = {
      accept = act_if_seen(review.accept),
      reject = act_if_seen(review.reject),
      accept_hunk = act_if_seen(review.choose_hunk, 'accepted'),
      reject_hunk = act_if_seen(review.choose_hunk, 'rejected'),
      next_hunk = act(review.move_by, 1),
      prev_hunk = act(review.move_by, -1),
    },
    undo = act(review.undo_hunk),
    acceptance = act(review.acceptance),
    show_again = act(M.show_again),
    accepts_on_write = function()
      return options.accept_on_write
    end,
    decide = function(decision)
      -- Windows that close while Neovim ends decide nothing.
      if not leaving then
        review.decide(entry, decision)
      end
    end,
    edited = function()
      if not buffers.is_current(view.pair) then
        review.send_edit(entry)
      end
    end,
    enter = function()
      M.enter(view)
    end,
    redraw = function()
      review.draw_bar(view)
    end,
  }
end

function M.wait_for(entry, obstacle)
  if obstacle ~= 'you pause' and not vim.startswith(obstacle, 'the prompt') then
    hint.show(('a change to %s is shown when %s'):format(message.short_path(entry.proposal.path), obstacle))
  end
  M.start_polling()
end

function M.start_polling()
  if timer then
    return
  end
  timer = uv.new_timer()
  timer:start(
    POLL_MS,
    POLL_MS,
    vim.schedule_wrap(function()
      if timer then
        M.advance(options.idle)
      end
    end)
  )
end

function M.stop_polling()
  if timer then
    timer:stop()
    timer:close()
    timer = nil
  end
end

vim.api.nvim_create_autocmd('VimLeavePre', {
  group = vim.api.nvim_create_augroup('hawser_diff', { clear = true }),
  callback = function()
    leaving = true
    M.stop_polling()
  end,
})

return M
