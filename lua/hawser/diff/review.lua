-- What the user does with the proposal on the screen.
local bar = require('hawser.diff.bar')
local buffers = require('hawser.diff.buffers')
local choices = require('hawser.diff.choices')
local cursor = require('hawser.diff.cursor')
local keys = require('hawser.diff.keys')
local message = require('hawser.message')
local views = require('hawser.diff.view')
local watch = require('hawser.diff.watch')

local M = {}

local api = vim.api

--- A proposal that is open.
---@class hawser.DiffEntry
---@field proposal hawser.Proposal
---@field view? hawser.DiffView While it is on the screen
---@field is_deciding? boolean The bridge has been sent a decision
---@field is_reported? boolean The user has read why it can't be shown

---@class hawser.Decision
---@field kind 'accepted'|'rejected'
---@field choices? { edit: integer, list: hawser.Choice[] }
---@field text? string Only if it differs from the last that was sent

--- What the bridge is told. It answers with set_hunks(), and with close() or refuse_stale().
---@class hawser.DiffListeners
---@field edited? fun(id: string, edit: integer, text: string, choices: table) The user has changed the new text
---@field decided? fun(id: string, revision: integer, decision: hawser.Decision) Called once for each decision

--- The options and listeners of the views, and the place of the shown proposal among those that wait together: set by
--- init.lua.
---@type hawser.DiffOptions
M.options = nil
---@type hawser.DiffListeners
M.listeners = {}
M.position = { index = 1, total = 1 }

---@param event string
---@param ... any
local function send(event, ...)
  local ok, problem = pcall(M.listeners[event] or function() end, ...)
  if not ok then
    message.say(tostring(problem), 'ERROR')
  end
end

---@param view hawser.DiffView
function M.draw_bar(view)
  bar.draw(view, M.position, keys.labels(M.options.keys))
end

--- The one way a decision leaves. The view stays until the bridge closes it, which is at once unless it refuses.
---@param entry hawser.DiffEntry
---@param decision hawser.Decision
function M.decide(entry, decision)
  if entry.is_deciding then
    return
  end
  entry.is_deciding = true
  send('decided', entry.proposal.id, entry.proposal.revision or 0, decision)
end

--- The decision to accept an entry as it is. The text is left out when the bridge knows it.
---@param entry hawser.DiffEntry
---@return hawser.Decision
function M.acceptance(entry)
  if not entry.view then
    local list = entry.proposal.choices or {}
    return { kind = 'accepted', choices = { edit = entry.proposal.edit or 0, list = list } }
  end
  local pair = entry.view.pair
  local text = not buffers.is_current(pair) and buffers.text(pair, 'new') or nil
  return { kind = 'accepted', choices = buffers.choices(pair), text = text }
end

---@param entry hawser.DiffEntry
---@return boolean
function M.accept(entry)
  local function accept()
    M.decide(entry, M.acceptance(entry))
  end
  if entry.view then
    M.when_current(entry, entry.view, accept)
  else
    accept()
  end
  return true
end

---@param entry hawser.DiffEntry
---@return boolean
function M.reject(entry)
  M.decide(entry, { kind = 'rejected' })
  return true
end

--- Sends the user's text, to learn its hunks.
---@param entry hawser.DiffEntry
---@param view hawser.DiffView
function M.send_edit(entry, view)
  view.pair.edit = view.pair.edit + 1
  view.sent_tick = api.nvim_buf_get_changedtick(view.pair.new)
  send('edited', entry.proposal.id, view.pair.edit, buffers.text(view.pair, 'new'), buffers.choices(view.pair))
end

--- Runs an action when the hunks are those of the text on the screen.
---@param entry hawser.DiffEntry
---@param view hawser.DiffView
---@param action fun()
function M.when_current(entry, view, action)
  if buffers.is_current(view.pair) and #view.actions == 0 then
    action()
    return
  end
  view.actions[#view.actions + 1] = action
  if view.sent_tick ~= api.nvim_buf_get_changedtick(view.pair.new) then
    M.send_edit(entry, view)
  end
end

--- The hunks of an edit. Those of an older one than the last are of no use.
---@param entry hawser.DiffEntry
---@param edit integer
---@param hunks hawser.Hunk[]
---@param given? hawser.Choice[]
function M.set_hunks(entry, edit, hunks, given)
  local view = entry.view
  if not view or view.pair.edit ~= edit or api.nvim_buf_get_changedtick(view.pair.new) ~= view.sent_tick then
    return
  end
  buffers.set_hunks(view.pair, hunks, given)
  views.draw(view)
  view.hunk = cursor.hunk_at_cursor(view)
  M.draw_bar(view)
  local actions = view.actions
  view.actions = {}
  for _, action in ipairs(actions) do
    action()
  end
end

--- Shows a new revision of the proposal where the old one is, or the same again if it could not be written.
---@param entry hawser.DiffEntry
---@param proposal hawser.Proposal
function M.refresh(entry, proposal)
  local view = entry.view
  local has_changed = entry.proposal.revision ~= proposal.revision
  entry.proposal, entry.is_deciding = proposal, false
  if not view then
    return
  end
  view.proposal = proposal
  local keeps_new = view.pair.edit ~= (proposal.edit or 0) or not buffers.is_current(view.pair)
  buffers.refresh(view.pair, proposal, keeps_new)
  view.chosen = {}
  if keeps_new then
    M.send_edit(entry, view)
  end
  views.set_notices(view)
  views.draw(view)
  watch.hold(view, M.options.grace)
  cursor.go_to_hunk(view, 1, not cursor.side(view))
  M.draw_bar(view)
  if has_changed then
    message.say('changed on disk; look at the proposal again', 'WARN', message.short_path(proposal.path))
  end
end

---@param entry hawser.DiffEntry
---@param view hawser.DiffView
---@param direction 1|-1
function M.move_by(entry, view, direction)
  M.when_current(entry, view, function()
    local index = cursor.neighbouring_hunk(view, direction)
    if index then
      cursor.go_to_hunk(view, index)
      M.draw_bar(view)
    else
      message.say('the texts do not differ any more')
    end
  end)
end

---@param entry hawser.DiffEntry
---@param view hawser.DiffView
---@param choice hawser.Choice
function M.choose_hunk(entry, view, choice)
  M.when_current(entry, view, function()
    local index = cursor.hunk_at_cursor(view)
    if not index then
      message.say('there is no hunk at the cursor')
      return
    end
    choices.choose(view, index, choice)
    views.draw(view)
    cursor.go_to_hunk(view, choices.next_open(view.pair, index) or index)
    M.draw_bar(view)
    if choices.count(view.pair).open == 0 then
      local accept = keys.labels(M.options.keys).accept or ':Hawser accept'
      message.say(('every hunk is decided: %s confirms, u takes back'):format(accept))
    end
  end)
end

--- Takes the last choice about a hunk back. False when there is none since the last edit.
---@param _ hawser.DiffEntry
---@param view hawser.DiffView
---@return boolean
function M.undo_hunk(_, view)
  local index = choices.undo(view)
  if not index then
    return false
  end
  views.draw(view)
  cursor.go_to_hunk(view, index)
  M.draw_bar(view)
  return true
end

--- Windows that close while Neovim ends decide nothing.
---@return boolean
function M.is_leaving()
  return vim.v.exiting ~= vim.NIL
end

--- What is done about what happens to a view.
---@param entry hawser.DiffEntry
---@param view hawser.DiffView
---@param queue { show_again: fun(entry: hawser.DiffEntry), enter: fun(view: hawser.DiffView) }
---@return hawser.DiffHandlers
function M.handlers(entry, view, queue)
  local function act(action, argument)
    return function()
      return action(entry, view, argument)
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
    keys = M.options.keys,
    actions = {
      accept = act_if_seen(M.accept),
      reject = act_if_seen(M.reject),
      accept_hunk = act_if_seen(M.choose_hunk, 'accepted'),
      reject_hunk = act_if_seen(M.choose_hunk, 'rejected'),
      next_hunk = act(M.move_by, 1),
      prev_hunk = act(M.move_by, -1),
    },
    undo = act(M.undo_hunk),
    acceptance = act(M.acceptance),
    show_again = act(queue.show_again),
    accepts_on_write = function()
      return M.options.accept_on_write
    end,
    decide = function(decision)
      if not M.is_leaving() then
        M.decide(entry, decision)
      end
    end,
    edited = function()
      if not buffers.is_current(view.pair) then
        M.send_edit(entry, view)
      end
    end,
    enter = function()
      queue.enter(view)
    end,
    redraw = function()
      if views.is_whole(view) then
        views.draw(view)
        M.draw_bar(view)
      end
    end,
    redraw_bar = function()
      M.draw_bar(view)
    end,
  }
end

return M
