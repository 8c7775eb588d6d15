-- What is asked of the bridge about the proposal on the screen, and what becomes of its answers: hunks of an edited
-- text, new revisions, decisions.
local buffers = require('hawser.diff.buffers')
local cursor = require('hawser.diff.cursor')
local message = require('hawser.message')
local notes = require('hawser.diff.notes')
local proposals = require('hawser.diff.proposal')
local rpc = require('hawser.rpc')
local texts = require('hawser.diff.text')
local views = require('hawser.diff.view')

local M = {}

local api = vim.api

---@alias hawser.DecisionKind 'accepted'|'rejected'|'changesRequested'

--- A decision as the user made it.
---@class hawser.Decision
---@field kind hawser.DecisionKind
---@field text? string What the user made of it; nil for what the agent proposed
---@field choices hawser.Choice[] On the hunks of the whole change
---@field is_current boolean The choices are on the hunks of that text

--- What is done when an answer has changed the view, and when a decision was refused: set by init.lua.
---@class hawser.ExchangeListeners
---@field redraw fun(view: hawser.DiffView)
---@field refused fun(entry: hawser.DiffEntry)
M.listeners = nil

--- The text of the new side, if it is not what the agent proposes.
---@param entry hawser.DiffEntry
---@return string?
function M.edited_text(entry)
  local pair = entry.view and entry.view.pair
  local text = pair and api.nvim_buf_is_loaded(pair.new) and texts.of(pair.new) or entry.proposal.new
  return text ~= entry.proposal.proposed and text or nil
end

---@param entry hawser.DiffEntry
---@param text? string
---@param choices hawser.Choice[]
---@param callback fun(problem?: hawser.RpcError, found?: table)
local function ask(entry, text, choices, callback)
  rpc.request('proposal/hunks', {
    id = entry.proposal.id,
    text = text,
    choices = choices,
    isNext = true,
    revision = entry.proposal.made_from,
  }, callback)
end

---@param proposal hawser.Proposal
---@param found table The result of `proposal/hunks`
---@return { hunks: hawser.Hunk[], choices: hawser.Choice[], round_hunks?: hawser.Hunk[] }
local function hunks_in(proposal, found)
  local previous = found.previous
  for index, each in ipairs(previous and proposal.earlier_notes or {}) do
    each.line = (previous.noteLines[index] or 0) + 1
  end
  return {
    hunks = proposals.hunks(found.hunks),
    choices = found.choices,
    round_hunks = previous and proposals.hunks(previous.hunks),
  }
end

--- Asks for the hunks of the text on the screen. One request at a time: the next one's choices are on the answer to it.
---@param entry hawser.DiffEntry
---@param view hawser.DiffView
function M.ask_hunks(entry, view)
  if view.is_asking then
    return
  end
  view.is_asking = true
  local pair = view.pair
  local tick, text = api.nvim_buf_get_changedtick(pair.new), M.edited_text(entry)
  -- Kept, for a buffer that is wiped out with its window.
  entry.proposal.new = text or entry.proposal.proposed
  ask(entry, text, pair.whole.choices, function(problem, found)
    view.is_asking = false
    if problem or entry.view ~= view or not api.nvim_buf_is_loaded(pair.new) then
      return
    end
    local is_current = api.nvim_buf_get_changedtick(pair.new) == tick
    entry.proposal.made_from = entry.proposal.revision
    if found.text and is_current then
      buffers.refill(pair.new, entry.proposal, found.text)
    end
    buffers.set_hunks(pair, entry.proposal, hunks_in(entry.proposal, found))
    if not is_current then
      pair.tick = tick
      M.ask_hunks(entry, view)
      return
    end
    views.draw(view)
    notes.draw(entry)
    view.hunk = cursor.hunk_at_cursor(view)
    M.listeners.redraw(view)
    local actions = view.actions
    view.actions = {}
    for _, action in ipairs(actions) do
      action()
    end
  end)
end

--- Runs an action when the hunks are those of the text on the screen.
---@param entry hawser.DiffEntry
---@param view hawser.DiffView
---@param action fun()
function M.when_current(entry, view, action)
  if buffers.is_current(view.pair) and not view.is_asking then
    action()
    return
  end
  view.actions[#view.actions + 1] = action
  M.ask_hunks(entry, view)
end

--- Takes a new revision of a proposal. What the user made of the one before stays, and is joined with the new one.
---@param entry hawser.DiffEntry
---@param proposal hawser.Proposal
function M.update(entry, proposal)
  local before, view = entry.proposal, entry.view
  local choices = view and view.pair.whole.choices or before.choices
  local text = M.edited_text(entry)
  entry.is_deciding = false
  if proposal.round_hunks then
    proposal.compares = before.compares
  end
  proposal.new = text or proposal.new
  local is_touched = text ~= nil or vim.tbl_contains(choices, 'accepted') or vim.tbl_contains(choices, 'rejected')
  if is_touched then
    proposal.made_from, proposal.choices = before.made_from, choices
  end
  entry.proposal = proposal
  if view then
    M.show_anew(entry, view, text == nil and proposal.proposed or nil, is_touched)
  else
    entry.needs_hunks = is_touched
  end
end

--- Shows what has changed of a proposal.
---@param entry hawser.DiffEntry
---@param view hawser.DiffView
---@param new? string The text of the new side, if that is another one
---@param asks boolean Its hunks are not known
function M.show_anew(entry, view, new, asks)
  local proposal, pair = entry.proposal, view.pair
  view.proposal, view.chosen = proposal, {}
  buffers.refill(pair.old, proposal, proposals.old_text(proposal))
  if new then
    buffers.refill(pair.new, proposal, new)
  end
  if asks then
    -- Until they are known there are none.
    pair.hunks, pair.choices = {}, {}
    M.ask_hunks(entry, view)
  else
    buffers.set_hunks(pair, proposal, proposal)
  end
  views.set_notices(view)
  views.draw(view)
  notes.draw(entry)
end

--- The proposal with what the user has made of it.
---@param entry hawser.DiffEntry
---@return hawser.Proposal
function M.as_it_is(entry)
  local proposal = entry.proposal
  proposal.new = M.edited_text(entry) or proposal.proposed
  proposal.choices = entry.view and entry.view.pair.whole.choices or proposal.choices
  return proposal
end

---@param entry hawser.DiffEntry
---@param kind hawser.DecisionKind
---@return hawser.Decision
function M.decision(entry, kind)
  local pair = entry.view and entry.view.pair
  local is_behind = pair ~= nil
    and api.nvim_buf_is_loaded(pair.new)
    and (not buffers.is_current(pair) or entry.view.is_asking)
  return {
    kind = kind,
    text = M.edited_text(entry),
    choices = pair and pair.whole.choices or entry.proposal.choices,
    is_current = not entry.needs_hunks and not is_behind,
  }
end

--- The indexes, from 0, of the hunks that are accepted; nil for all.
---@param choices hawser.Choice[]
---@return integer[]?
local function accepted_hunks(choices)
  if not vim.tbl_contains(choices, 'rejected') then
    return nil
  end
  local accepted = {}
  for index, choice in ipairs(choices) do
    if choice ~= 'rejected' then
      accepted[#accepted + 1] = index - 1
    end
  end
  return accepted
end

---@param entry hawser.DiffEntry
---@param decision table As the bridge takes it
local function send_decision(entry, decision)
  local proposal = entry.proposal
  decision.notes = notes.collect(entry)
  local params = { id = proposal.id, revision = proposal.revision, decision = decision }
  rpc.request('proposal/decide', params, function(problem, result)
    if problem or result.kind == 'failed' then
      entry.is_deciding = false
      message.say(problem and problem.message or 'not written: ' .. result.reason, 'ERROR')
    elseif result.kind == 'stale' then
      M.listeners.refused(entry)
    end
  end)
end

--- The one way a decision leaves. The view stays until the bridge closes it, which is at once unless it refuses.
---@param entry hawser.DiffEntry
---@param decision hawser.Decision
function M.decide(entry, decision)
  if entry.is_deciding then
    return
  end
  entry.is_deciding = true
  local kind, text, choices = decision.kind, decision.text, decision.choices
  if kind == 'rejected' then
    send_decision(entry, { kind = kind, text = text })
  elseif kind == 'changesRequested' then
    send_decision(entry, { kind = kind, text = text, marks = not text and choices or nil })
  elseif decision.is_current or not vim.tbl_contains(choices, 'rejected') then
    send_decision(entry, { kind = kind, text = text, hunks = accepted_hunks(choices) })
  else
    ask(entry, text, choices, function(problem, found)
      if problem then
        entry.is_deciding = false
        message.say(problem.message, 'ERROR')
        return
      end
      send_decision(entry, { kind = kind, text = found.text or text, hunks = accepted_hunks(found.choices) })
    end)
  end
end

return M
