-- Joins the bridge's proposals and the diff views: the requests and notifications `proposal/…` of the editor protocol.
local events = require('hawser.events')
local message = require('hawser.message')
local proposals = require('hawser.diff.proposal')

local M = {}

--- The options that the views were given last.
---@type hawser.DiffOptions?
local given
--- Members of sets that the user has decided on, while the rest is undecided: they are not in the way meanwhile.
---@type table<string, hawser.Proposal>
local aside = {}

local function views()
  local diff = require('hawser.diff')
  local options = require('hawser.options').current().diff
  if given ~= options then
    given = options
    diff.setup(options)
  end
  return diff
end

---@param proposal hawser.Proposal
---@return hawser.Proposal
local function with_notice(proposal)
  local buf = require('hawser.documents').find(proposal.path)
  proposal.is_unsaved = buf ~= nil and vim.bo[buf].modified
  return proposal
end

---@param proposal hawser.Proposal
---@return { state: 'shown'|'queued' }
local function show(proposal)
  local diff = views()
  diff.show(with_notice(proposal))
  events.fire('HawserProposalOpened', { path = proposal.path, agent = proposal.agent })
  return { state = diff.find(proposal.id).view and 'shown' or 'queued' }
end

---@param params table
---@return { state: 'shown'|'queued' }
function M.show(params)
  return show(proposals.from_message(params))
end

--- The file has changed, so that the proposal has another old text, and perhaps another new one.
---@param params table
---@return { state: 'shown'|'queued' }
function M.update(params)
  local proposal = with_notice(proposals.from_message(params))
  local before = aside[proposal.id]
  if before then
    local is_edited = before.new ~= before.proposed
    proposal.new = is_edited and before.new or proposal.new
    proposal.made_from = is_edited and before.made_from or proposal.made_from
    aside[proposal.id] = proposal
    return { state = 'queued' }
  end
  local diff = views()
  diff.update(proposal)
  local entry = diff.find(proposal.id)
  return { state = entry and entry.view and 'shown' or 'queued' }
end

---@class hawser.Outcome
---@field kind 'accepted'|'rejected'|'changesRequested'|'withdrawn'
---@field by? string The reviewer in which the user decided
---@field kept? string The file with what the user had made of it

---@type table<string, { event: string, how: string }>
local ENDS = {
  accepted = { event = 'HawserProposalAccepted', how = 'accepted' },
  rejected = { event = 'HawserProposalRejected', how = 'rejected' },
  changesRequested = { event = 'HawserProposalRejected', how = 'sent back for changes' },
  withdrawn = { event = 'HawserProposalWithdrawn', how = 'withdrawn' },
}

---@param id string
---@param outcome hawser.Outcome
local function take_away(id, outcome)
  local closed = views().close(id)
  if not closed then
    return
  end
  local name = message.short_path(closed.path)
  local ending = ENDS[outcome.kind] or ENDS.withdrawn
  local how = ending.how .. (outcome.by and ' in ' .. outcome.by or '')
  if outcome.kept then
    message.say(('was %s; your text is in %s'):format(ending.how, outcome.kept), 'WARN', name)
  elseif closed.kept then
    message.say(('was %s; your text is in :b %s'):format(how, closed.kept), 'WARN', name)
  elseif closed.was_shown and not closed.is_decided_here then
    message.say('was ' .. how, 'INFO', name)
  end
  events.fire(ending.event, { path = closed.path, agent = closed.agent })
end

---@param params { id: string, progress: table }
function M.progress(params)
  local id, progress = params.id, params.progress
  if progress.kind == 'applying' then
    return
  elseif progress.kind == 'decided' then
    local entry = views().find(id)
    if entry then
      aside[id] = require('hawser.diff.exchange').as_it_is(entry)
      take_away(id, { kind = progress.decision, by = progress.by })
    end
    return
  end
  local proposal = aside[id]
  aside[id] = nil
  if proposal then
    proposal.failure, proposal.new = progress.reason, progress.text or proposal.new
    show(proposal)
  else
    views().fail(id, progress.reason, progress.text)
  end
end

---@param params { id: string, outcome: hawser.Outcome }
function M.close(params)
  aside[params.id] = nil
  take_away(params.id, params.outcome)
end

return M
