-- Joins the bridge's proposals and the diff views: what the bridge sends is shown, what the user does is sent to it.
local channel = require('hawser.channel')
local events = require('hawser.events')
local message = require('hawser.message')

local M = {}

--- The options that the views were given last.
---@type hawser.DiffOptions?
local given

local listeners = {
  edited = function(...)
    channel.notify('proposal_edited', ...)
  end,
  decided = function(...)
    channel.notify('proposal_decided', ...)
  end,
  compared = function(...)
    channel.notify('proposal_compared', ...)
  end,
}

local function views()
  local diff = require('hawser.diff')
  local options = require('hawser.options').current().diff
  if given ~= options then
    given = options
    diff.setup(options, listeners)
  end
  return diff
end

---@param spec hawser.Proposal
---@return hawser.Proposal
local function with_notice(spec)
  local buf = require('hawser.documents').find(spec.path)
  spec.is_unsaved = buf ~= nil and vim.bo[buf].modified
  return spec
end

---@param spec hawser.Proposal
function M.show_proposal(spec)
  views().show(with_notice(spec))
  events.fire('HawserProposalOpened', { path = spec.path, agent = spec.agent })
end

--- The file has changed, so that the proposal has another old text, and perhaps another new one.
---@param spec hawser.Proposal
function M.refresh_proposal(spec)
  views().refresh(with_notice(spec))
end

--- The hunks of a text that was sent as `edited`, with the choices that still apply.
---@param id string
---@param edit integer
---@param hunks hawser.Hunk[]
---@param choices? hawser.Choice[]
function M.set_hunks(id, edit, hunks, choices)
  views().set_hunks(id, edit, hunks, choices)
end

--- The decision was on an older text of the file: the proposal stays open.
---@param id string
function M.refuse_stale(id)
  views().refuse_stale(id)
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
function M.close_proposal(id, outcome)
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

return M
