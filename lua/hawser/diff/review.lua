-- What the user does with the proposal on the screen. An entry is { proposal, view, is_deciding }; see queue.lua.
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

--- Set by queue.lua.
M.options = nil
M.listeners = {}
--- The place of the shown proposal among those that wait together: { index, total }.
M.position = { index = 1, total = 1 }

local function send(event, ...)
  local ok, problem = pcall(M.listeners[event] or function() end, ...)
  if not ok then
    message.say(tostring(problem), 'ERROR')
  end
end

function M.draw_bar(view)
  bar.draw(view, M.position, keys.labels(M.options.keys))
end

--- The one way a decision leaves. The view stays until the bridge closes it, which is at once unless it refuses.
function M.decide(entry, decision)
  if entry.is_deciding then
    return
  end
  entry.is_deciding = true
  send('decided', entry.proposal.id, entry.proposal.revision or 0, decision)
end

--- The decision to accept an entry as it is. The text is left out when the bridge knows it.
function M.acceptance(entry)
  if not entry.view then
    local list = entry.proposal.choices or {}
    return { kind = 'accepted', choices = { edit = entry.proposal.edit or 0, list = list } }
  end
  local pair = entry.view.pair
  local text = not buffers.is_current(pair) and buffers.text(pair, 'new') or nil
  return { kind = 'accepted', choices = buffers.choices(pair), text = text }
end

function M.accept(entry)
  M.when_current(entry, function()
    M.decide(entry, M.acceptance(entry))
  end)
  return true
end

function M.reject(entry)
  M.decide(entry, { kind = 'rejected' })
  return true
end

--- Sends the user's text, to learn its hunks.
function M.send_edit(entry)
  local view = entry.view
  view.pair.edit = view.pair.edit + 1
  view.sent_tick = api.nvim_buf_get_changedtick(view.pair.new)
  send('edited', entry.proposal.id, view.pair.edit, buffers.text(view.pair, 'new'), buffers.choices(view.pair))
end

--- Runs an action when the hunks are those of the text on the screen.
function M.when_current(entry, action)
  local view = entry.view
  if not view or (buffers.is_current(view.pair) and #view.actions == 0) then
    action()
    return
  end
  view.actions[#view.actions + 1] = action
  if view.sent_tick ~= api.nvim_buf_get_changedtick(view.pair.new) then
    M.send_edit(entry)
  end
end

--- The hunks of an edit. Those of an older one than the last are of no use.
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

--- Shows a new revision of the proposal where the old one is.
function M.refresh(entry, proposal)
  local view = entry.view
  entry.proposal, entry.is_deciding = proposal, false
  if not view then
    return
  end
  view.proposal = proposal
  local keeps_new = view.pair.edit ~= (proposal.edit or 0) or not buffers.is_current(view.pair)
  buffers.refresh(view.pair, proposal, keeps_new)
  view.chosen = {}
  if keeps_new then
    M.send_edit(entry)
  end
  views.set_notices(view)
  views.draw(view)
  watch.hold(view, M.options.grace)
  cursor.go_to_hunk(view, 1, not cursor.side(view))
  M.draw_bar(view)
  message.say('changed on disk; look at the proposal again', 'WARN', message.short_path(proposal.path))
end

function M.move_by(entry, direction)
  M.when_current(entry, function()
    local view = entry.view
    local index = cursor.neighbouring_hunk(view, direction)
    if index then
      cursor.go_to_hunk(view, index)
      M.draw_bar(view)
    else
      message.say('the texts do not differ any more')
    end
  end)
end

function M.choose_hunk(entry, choice)
  M.when_current(entry, function()
    local view = entry.view
    local index = cursor.hunk_at_cursor(view)
    if not index then
      message.say('there is no change at the cursor')
      return
    end
    choices.choose(view, index, choice)
    views.draw(view)
    cursor.go_to_hunk(view, choices.next_open(view.pair, index) or index)
    M.draw_bar(view)
    if choices.count(view.pair).open == 0 then
      local accept = keys.labels(M.options.keys).accept or ':HawserAccept'
      message.say(('every change is decided: %s confirms, u takes back'):format(accept))
    end
  end)
end

--- Takes the last choice about a hunk back. False when there is none since the last edit.
function M.undo_hunk(entry)
  local view = entry.view
  local index = choices.undo(view)
  if not index then
    return false
  end
  views.draw(view)
  cursor.go_to_hunk(view, index)
  M.draw_bar(view)
  return true
end

return M
