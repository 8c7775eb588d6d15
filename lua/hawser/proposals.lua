-- Joins the bridge's proposals and the diff views: what the bridge sends is shown, what the user does is sent to it.
local channel = require('hawser.channel')
local message = require('hawser.message')

local M = {}

--- The options that the views were given last.
local given

local function views()
  local diff = require('hawser.diff')
  local options = require('hawser.bridge').options().diff
  if given ~= options then
    given = options
    local own = vim.deepcopy(options)
    -- The bridge names the layout of each proposal, and shows none where it is off.
    own.layout = own.layout ~= 'off' and own.layout or nil
    diff.setup(own)
    diff.listen({
      edited = function(...)
        channel.notify('proposal_edited', ...)
      end,
      decided = function(...)
        channel.notify('proposal_decided', ...)
      end,
    })
  end
  return diff
end

local function with_notice(spec)
  local buf = require('hawser.documents').find(spec.path)
  spec.is_unsaved = buf ~= nil and vim.bo[buf].modified
  return spec
end

function M.show_proposal(spec)
  views().show(with_notice(spec))
end

--- The file has changed, so that the proposal has another old text, and perhaps another new one.
function M.refresh_proposal(spec)
  views().refresh(with_notice(spec))
end

--- The hunks of a text that was sent as `edited`, with the choices that still apply.
function M.set_hunks(id, edit, hunks, choices)
  views().set_hunks(id, edit, hunks, choices)
end

--- The decision was on an older text of the file: the proposal stays open.
function M.refuse_stale(id)
  views().refuse_stale(id)
end

--- `outcome` is { kind = 'accepted' | 'rejected' | 'withdrawn', reason }.
function M.close_proposal(id, outcome)
  local closed = views().close(id, outcome)
  if not closed then
    return
  end
  local name = message.short_path(closed.path)
  local how = ({ accepted = 'accepted elsewhere', rejected = 'rejected elsewhere' })[outcome.kind] or 'withdrawn'
  if closed.kept then
    message.say(('was %s; your text is in :b %s'):format(how, closed.kept), 'WARN', name)
  elseif closed.was_shown and not closed.is_decided_here then
    message.say('was ' .. how, 'INFO', name)
  end
  if outcome.kind == 'accepted' or outcome.kind == 'rejected' then
    local event = outcome.kind == 'accepted' and 'ClaudeCodeDiffAccepted' or 'ClaudeCodeDiffRejected'
    require('hawser.events').fire(event, { filePath = closed.path })
  end
end

return M
