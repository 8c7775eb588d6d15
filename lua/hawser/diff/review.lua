-- What the user does with the proposal on the screen.
local bar = require('hawser.diff.bar')
local buffers = require('hawser.diff.buffers')
local choices = require('hawser.diff.choices')
local cursor = require('hawser.diff.cursor')
local exchange = require('hawser.diff.exchange')
local keys = require('hawser.diff.keys')
local message = require('hawser.message')
local notes = require('hawser.diff.notes')
local proposals = require('hawser.diff.proposal')
local views = require('hawser.diff.view')

local M = {}

local api = vim.api

--- A proposal that is open.
---@class hawser.DiffEntry
---@field proposal hawser.Proposal
---@field view? hawser.DiffView While it is on the screen
---@field is_deciding boolean The bridge has been sent a decision
---@field notes hawser.Note[] What the user says about it
---@field is_reported? boolean The user has read why it can't be shown
---@field needs_hunks? boolean The file has changed since the user decided on hunks, so these are not of the text

--- The options of the views, and the place of the shown proposal among those that wait together: set by init.lua.
---@type hawser.DiffOptions
M.options = nil
M.position = { index = 1, total = 1 }

---@param view hawser.DiffView
function M.draw_bar(view)
  bar.draw(view, M.position, keys.labels(M.options.keys))
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

---@param entry hawser.DiffEntry
---@return boolean
function M.accept(entry)
  local function accept()
    exchange.decide(entry, exchange.decision(entry, 'accepted'))
  end
  if entry.view then
    exchange.when_current(entry, entry.view, accept)
  else
    accept()
  end
  return true
end

---@param entry hawser.DiffEntry
---@return boolean
function M.reject(entry)
  exchange.decide(entry, exchange.decision(entry, 'rejected'))
  return true
end

--- Sends it back with the notes, and with these words if there are any.
---@param entry hawser.DiffEntry
---@param words? string
---@return boolean
function M.ask(entry, words)
  if words and words:match('%S') then
    notes.add(entry, { text = vim.trim(words) })
  end
  if #entry.notes == 0 then
    message.say('not sent: say what should change')
    return false
  end
  exchange.decide(entry, exchange.decision(entry, 'changesRequested'))
  notes.say_delivery(entry.proposal)
  return true
end

--- Asks for words, then sends it back.
---@param entry hawser.DiffEntry
function M.ask_for_changes(entry)
  local count = #entry.notes
  local sent = count > 0 and (' (nothing more sends your %s)'):format(count == 1 and 'note' or count .. ' notes') or ''
  vim.ui.input({ prompt = ('What should change?%s '):format(sent) }, function(words)
    if words then
      M.ask(entry, words)
    end
  end)
end

--- The lines that a note is about: those that are selected, or the one at the cursor.
---@param view hawser.DiffView
---@param first? integer
---@param last? integer
---@return { side: hawser.Side, first: integer, count: integer }
local function noted_lines(view, first, last)
  local side = cursor.side(view) or 'new'
  if not first then
    first = api.nvim_win_get_cursor(view.windows[side])[1]
    last = first
    if cursor.side(view) and api.nvim_get_mode().mode:match('^[vV\22]') then
      local other = vim.fn.line('v')
      first, last = math.min(first, other), math.max(first, other)
      vim.cmd('normal! \27')
    end
  end
  if side == 'old' and view.proposal.compares == 'round' then
    -- That text is in no file: the note is about what has come in its place.
    local hunk = view.pair.hunks[cursor.hunk_at_cursor(view) or 1]
    side, first = 'new', hunk and cursor.line_of(view, hunk, 'new') or 1
    last = first
  end
  return { side = side, first = first, count = last - first + 1 }
end

--- What a note is about, from the words and the lines of a command.
---@class hawser.NoteRequest
---@field text? string Without it the user is asked
---@field whole? boolean It is about the whole proposal
---@field first? integer
---@field last? integer

--- Writes a note on lines, or on the whole.
---@param entry hawser.DiffEntry
---@param view hawser.DiffView
---@param given? hawser.NoteRequest
function M.note(entry, view, given)
  given = given or {}
  local lines = given.whole and {} or noted_lines(view, given.first, given.last)
  local function add(text)
    if text and text:match('%S') and entry.view == view then
      notes.add(entry, vim.tbl_extend('force', { text = vim.trim(text) }, lines))
      M.draw_bar(view)
      notes.say_delivery(entry.proposal)
    end
  end
  if given.text then
    add(given.text)
    return
  end
  local place = given.whole and 'the proposal' or ('line %d'):format(lines.first)
  if not given.whole and lines.count > 1 then
    place = ('lines %d to %d'):format(lines.first, lines.first + lines.count - 1)
  end
  vim.ui.input({ prompt = ('Note on %s: '):format(place) }, add)
end

--- Removes the notes at the cursor.
---@param entry hawser.DiffEntry
---@param view hawser.DiffView
function M.remove_note(entry, view)
  local side = cursor.side(view) or 'new'
  if notes.remove(entry, side, api.nvim_win_get_cursor(view.windows[side])[1]) == 0 then
    message.say('there is no note of yours at the cursor')
  end
end

--- Shows the whole change, or what is new since the round before.
---@param entry hawser.DiffEntry
---@param view hawser.DiffView
function M.compare(entry, view)
  if not entry.proposal.round_hunks then
    message.say('there is no round before this one')
    return
  end
  exchange.when_current(entry, view, function()
    local proposal = entry.proposal
    proposal.compares = proposal.compares == 'file' and 'round' or 'file'
    view.chosen = {}
    buffers.refill(view.pair.old, proposal, proposals.old_text(proposal))
    buffers.choose_hunks(view.pair, proposal)
    views.set_notices(view)
    views.draw(view)
    notes.draw(entry)
    cursor.go_to_hunk(view, 1, not cursor.side(view))
    M.draw_bar(view)
  end)
end

--- After a new revision is on the screen, or the same one again because it could not be written.
---@param entry hawser.DiffEntry
function M.show_again(entry)
  local view = entry.view
  if view then
    M.hold(view, M.options.grace)
    exchange.when_current(entry, view, function()
      cursor.go_to_hunk(view, 1, not cursor.side(view))
      M.draw_bar(view)
    end)
  end
end

---@param entry hawser.DiffEntry
---@param view hawser.DiffView
---@param direction 1|-1
function M.move_by(entry, view, direction)
  exchange.when_current(entry, view, function()
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
  exchange.when_current(entry, view, function()
    local index = cursor.hunk_at_cursor(view)
    if not index then
      message.say('there is no hunk at the cursor')
      return
    end
    choices.choose(view, index, choice)
    views.draw(view)
    cursor.go_to_hunk(view, choices.next_open(view.pair, index) or index)
    M.draw_bar(view)
    if choices.count(view.pair).undecided == 0 then
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

--- What the keys do.
---@param entry hawser.DiffEntry
---@param view hawser.DiffView
---@return table<hawser.DiffAction, fun()>
function M.actions(entry, view)
  local function act(action, argument)
    return function()
      action(entry, view, argument)
    end
  end
  --- Keys can have been typed before the user saw the view; commands are meant.
  local function act_if_seen(...)
    local action = act(...)
    return function()
      if not M.is_held(view) then
        action()
      end
    end
  end
  return {
    accept = act_if_seen(M.accept),
    reject = act_if_seen(M.reject),
    ask = act_if_seen(M.ask_for_changes),
    accept_hunk = act_if_seen(M.choose_hunk, 'accepted'),
    reject_hunk = act_if_seen(M.choose_hunk, 'rejected'),
    next_hunk = act(M.move_by, 1),
    prev_hunk = act(M.move_by, -1),
    note = act(M.note),
    compare = act(M.compare),
  }
end

return M
