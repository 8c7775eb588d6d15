-- What commands do with the proposal on the screen, or with one that is named by its id.
local diff = require('hawser.diff')
local message = require('hawser.message')
local review = require('hawser.diff.review')

local M = {}

--- The entry of this id, or the one on the screen; without one the user gets a message.
---@param id? string
---@return hawser.DiffEntry?
local function chosen(id)
  local entry = diff.shown()
  if id ~= nil then
    entry = diff.find(id)
  end
  if not entry then
    message.say(id ~= nil and 'there is no such proposal' or 'no proposal is shown')
  end
  return entry
end

--- A function that decides on a proposal: the one on the screen, or by id.
---@param action fun(entry: hawser.DiffEntry): boolean
---@return fun(id?: string): boolean
local function on_chosen(action)
  return function(id)
    local entry = chosen(id)
    return entry ~= nil and action(entry)
  end
end

M.accept = on_chosen(review.accept)
M.reject = on_chosen(review.reject)

--- Sends a proposal back with the notes on it, and with these words; asks for words without them.
---@param words? string
---@param id? string
---@return boolean?
function M.ask(words, id)
  local entry = chosen(id)
  if not entry then
    return false
  elseif words == nil and entry.view then
    review.ask_for_changes(entry)
    return true
  end
  return review.ask(entry, words)
end

--- Writes a note on the proposal on the screen.
---@param given? hawser.NoteRequest
function M.note(given)
  local entry = chosen()
  if entry and entry.view then
    review.note(entry, entry.view, given)
  end
end

function M.reject_all()
  for _, each in ipairs(diff.pending()) do
    M.reject(each.id)
  end
end

--- A function that does something with the proposal on the screen; it returns false without one.
---@param action fun(entry: hawser.DiffEntry, view: hawser.DiffView, argument: any): boolean?
---@param argument? any
---@return fun(): boolean?
local function with_shown(action, argument)
  return function()
    local entry = chosen()
    return entry ~= nil and entry.view ~= nil and action(entry, entry.view, argument)
  end
end

M.next_hunk = with_shown(review.move_by, 1)
M.prev_hunk = with_shown(review.move_by, -1)
--- Makes a choice about the hunk at the cursor. Nothing ends before the whole is accepted or rejected.
M.accept_hunk = with_shown(review.choose_hunk, 'accepted')
M.reject_hunk = with_shown(review.choose_hunk, 'rejected')
--- Takes the last choice about a hunk back. False when there is none since the last edit.
M.undo_hunk = with_shown(review.undo_hunk)
M.remove_note = with_shown(review.remove_note)
--- Shows the whole change, or what is new since the round before.
M.compare = with_shown(review.compare)

M.reveal = diff.reveal

return M
