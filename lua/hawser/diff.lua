-- Shows proposals, one at a time, and tells what the person decided. Each proposal ends exactly once: with a decision,
-- or withdrawn by close(). Nothing here writes a file.
local keys = require('hawser.diff.keys')
local queue = require('hawser.diff.queue')
local ready = require('hawser.diff.ready')

local M = {}

local LAYOUTS = { split = true, tab = true, inline = true }

--- layout: 'split' | 'tab' | 'inline'. keys: see keys.lua; false takes a key away. accept_on_write: `:w` accepts.
--- idle: for how many milliseconds no key must have been typed before a view appears. What is wrong is told and left out.
function M.setup(wanted)
  local settings = queue.default_options()
  for name, value in pairs(wanted or {}) do
    local problem = M.option_problem(name, value)
    if problem then
      ready.say('Hawser: ' .. problem, vim.log.levels.WARN)
    elseif name == 'keys' then
      settings.keys = vim.tbl_extend('force', keys.defaults, value)
    else
      settings[name] = value
    end
  end
  queue.use(settings)
end

--- What is wrong with an option of setup(), or nil.
function M.option_problem(name, value)
  if name == 'layout' then
    return not LAYOUTS[value] and ("layout must be 'split', 'tab' or 'inline', not " .. vim.inspect(value)) or nil
  elseif name == 'keys' then
    return keys.problem(value)
  elseif name == 'accept_on_write' then
    return type(value) ~= 'boolean' and 'accept_on_write must be true or false' or nil
  elseif name == 'idle' then
    return (type(value) ~= 'number' or value < 0) and 'idle must be a number of milliseconds' or nil
  end
  return ('diff has no option %s'):format(tostring(name))
end

--- Queues a proposal and returns at once; it appears as soon as the person is not typing.
---   id       tells it from others that are open
---   title, from, path   what to call it, who proposes, the file (for its name and its colours)
---   old      the file's text, nil for a new file; new: the proposed text. Exact bytes, both.
---   hunks    optional, { old_start, old_count, new_start, new_count } each, lines from 1; found here when absent or wrong
---   layout   optional, instead of the one of setup()
---   notice   optional, something the person should know
function M.show(proposal)
  if type(proposal) == 'table' then
    -- Over a channel, what is absent may come as null.
    proposal = vim.tbl_map(function(value)
      return value ~= vim.NIL and value or nil
    end, proposal)
  end
  if type(proposal) ~= 'table' or proposal.id == nil or type(proposal.new) ~= 'string' then
    error('hawser.diff.show needs a table with an id and the new text', 2)
  end
  if proposal.old ~= nil and type(proposal.old) ~= 'string' then
    error('hawser.diff.show: old must be a text, or nil for a new file', 2)
  end
  if proposal.layout ~= nil and not LAYOUTS[proposal.layout] then
    error('hawser.diff.show: ' .. M.option_problem('layout', proposal.layout), 2)
  end
  if queue.find(proposal.id) then
    error(('hawser.diff.show: %s is shown or waits already'):format(tostring(proposal.id)), 2)
  end
  queue.add(proposal)
end

--- Calls the function with (id, decision) for each decision, which is { kind = 'accepted', text = … } or
--- { kind = 'rejected' }. There is one listener: a second takes its place.
function M.on_decision(callback)
  queue.listen(callback)
end

--- Withdraws a proposal without a decision. True when there was one.
function M.close(id)
  return queue.withdraw(id)
end

--- Withdraws everything; returns how many there were.
function M.close_all()
  return queue.withdraw_all()
end

--- Proposals in order: { id, title, path, from, state = 'shown' | 'waiting' }.
function M.pending()
  return queue.pending()
end

--- For a statusline: how many proposals wait, or an empty text.
function M.indicator()
  return queue.indicator()
end

--- Shows the first proposal although keys were just typed, and goes there. False when even that is not possible now.
function M.reveal()
  return queue.reveal()
end

--- Accepts a proposal as it stands: the one on the screen, or by id.
function M.accept(id)
  return queue.accept(id)
end

function M.reject(id)
  return queue.reject(id)
end

function M.next_hunk()
  queue.move_by(1)
end

function M.prev_hunk()
  queue.move_by(-1)
end

--- Decides about the hunk at the cursor. The last one ends the view: with what is left of the proposal, if anything.
function M.accept_hunk()
  queue.settle_hunk('new')
end

function M.reject_hunk()
  queue.settle_hunk('old')
end

return M
