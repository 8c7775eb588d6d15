-- The proposals that are open: which one is on the screen, which wait, and the one way each of them ends.
local bar = require('hawser.diff.bar')
local buffers = require('hawser.diff.buffers')
local cursor = require('hawser.diff.cursor')
local hint = require('hawser.diff.hint')
local keys = require('hawser.diff.keys')
local ready = require('hawser.diff.ready')
local views = require('hawser.diff.view')
local watch = require('hawser.diff.watch')

local M = {}

local POLL_MS = 100

local options
local listener
-- { proposal, view }, in order of arrival; only the first is ever on the screen.
local queue = {}
-- How many of the proposals that wait together are decided: the 1 of "2 of 3".
local decided = 0
local timer
local leaving = false

function M.default_options()
  return { layout = 'split', keys = keys.defaults, accept_on_write = false, idle = 200 }
end

function M.use(settings)
  options = settings
  bar.define_highlights()
  ready.watch_keys()
end

function M.listen(callback)
  listener = callback
end

function M.add(proposal)
  if not options then
    M.use(M.default_options())
  end
  queue[#queue + 1] = { proposal = proposal }
  M.advance(options.idle)
end

--- Withdraws a proposal without a decision. True when there was one.
function M.withdraw(id)
  local entry = M.find(id)
  if not entry then
    return false
  end
  M.take_away(entry)
  M.advance(options.idle)
  return true
end

--- Withdraws everything; returns how many there were.
function M.withdraw_all()
  local entries = queue
  queue, decided = {}, 0
  for _, entry in ipairs(entries) do
    M.take_down(entry)
  end
  M.stop_waiting()
  return #entries
end

--- Proposals in order: { id, title, path, from, state = 'shown' | 'waiting' }.
function M.pending()
  return vim.tbl_map(function(entry)
    local proposal = entry.proposal
    return {
      id = proposal.id,
      title = proposal.title,
      path = proposal.path,
      from = proposal.from,
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

--- Shows the first proposal that waits although keys were just typed. False when even that is not possible now.
function M.reveal()
  M.advance(0)
  local first = queue[1]
  if not (first and first.view) then
    return false
  end
  if not cursor.side(first.view) then
    vim.api.nvim_set_current_win(first.view.windows.new)
  end
  return true
end

--- Accepts a proposal as it stands: the one on the screen, or by id.
function M.accept(id)
  local entry = M.chosen(id)
  if not entry then
    return false
  end
  local text = entry.view and buffers.text(entry.view.pair, 'new') or entry.proposal.new
  M.decide(entry, { kind = 'accepted', text = text })
  return true
end

function M.reject(id)
  local entry = M.chosen(id)
  if not entry then
    return false
  end
  M.decide(entry, { kind = 'rejected' })
  return true
end

function M.find(id)
  for _, entry in ipairs(queue) do
    if entry.proposal.id == id then
      return entry
    end
  end
  return nil
end

function M.chosen(id)
  local entry
  if id ~= nil then
    entry = M.find(id)
  else
    entry = queue[1] and queue[1].view and queue[1] or nil
  end
  if not entry then
    ready.say(id ~= nil and ('Hawser: there is no proposal %s'):format(tostring(id)) or 'Hawser: no proposal is shown')
  end
  return entry
end

function M.shown_view()
  local entry = M.chosen(nil)
  return entry and entry.view
end

function M.move_by(direction)
  local view = M.shown_view()
  if not view then
    return
  end
  local index = cursor.neighbouring_hunk(view, direction)
  if index then
    cursor.go_to_hunk(view, index)
    M.draw_bar(view)
  else
    ready.say('Hawser: nothing differs any more')
  end
end

function M.settle_hunk(from)
  local view = M.shown_view()
  if not view then
    return
  end
  local index = cursor.hunk_at_cursor(view)
  if not index then
    ready.say('Hawser: no hunk at the cursor')
    return
  end
  buffers.settle_hunk(view.pair, index, from)
  if #view.pair.hunks > 0 then
    views.draw(view)
    cursor.go_to_hunk(view, math.min(index, #view.pair.hunks))
    M.draw_bar(view)
    return
  end
  local text = buffers.text(view.pair, 'new')
  if text == (view.proposal.old or '') then
    M.reject(view.proposal.id)
  else
    M.decide(M.find(view.proposal.id), { kind = 'accepted', text = text })
  end
end

--- The one way a decision leaves; an entry that is not queued any more has been decided or withdrawn.
function M.decide(entry, decision)
  if leaving or not entry or M.find(entry.proposal.id) ~= entry then
    return
  end
  decided = decided + 1
  local was_attended = M.take_away(entry)
  if listener then
    local ok, problem = pcall(listener, entry.proposal.id, decision)
    if not ok then
      ready.say('Hawser: ' .. tostring(problem), vim.log.levels.ERROR)
    end
  end
  -- Whoever has just decided is reviewing: the next one may follow at once.
  M.advance(was_attended and 0 or options.idle)
end

--- Returns whether the person was in its view.
function M.take_away(entry)
  queue = vim.tbl_filter(function(other)
    return other ~= entry
  end, queue)
  local was_attended = M.take_down(entry)
  if #queue == 0 then
    decided = 0
  elseif queue[1].view then
    M.draw_bar(queue[1].view)
  end
  return was_attended
end

function M.take_down(entry)
  local view = entry.view
  entry.view = nil
  if not view then
    return false
  end
  watch.stop()
  -- Whatever goes wrong with windows, the one who asked gets the decision.
  local ok, result = pcall(views.close, view)
  if not ok then
    ready.say('Hawser: the view could not be closed: ' .. tostring(result), vim.log.levels.ERROR)
  end
  return ok and result
end

--- Shows the first proposal if it can be shown now, else sees to it that it will be.
function M.advance(idle)
  local entry = queue[1]
  if leaving or not entry or entry.view then
    M.stop_waiting()
    if entry and entry.view then
      M.draw_bar(entry.view)
    end
    return
  end
  local obstacle = ready.obstacle(idle)
  if obstacle then
    M.wait_for(entry, obstacle)
    return
  end
  M.stop_waiting()
  M.present(entry)
end

function M.present(entry)
  local proposal = entry.proposal
  local ok, view = pcall(views.open, proposal, proposal.layout or options.layout)
  if not ok then
    ready.say(('Hawser: %s cannot be shown, so it is rejected: %s'):format(buffers.tail(proposal.path), tostring(view)))
    M.decide(entry, { kind = 'rejected' })
    return
  end
  entry.view = view
  watch.start(view, {
    keys = options.keys,
    actions = {
      accept = M.accept,
      reject = M.reject,
      accept_hunk = function()
        M.settle_hunk('new')
      end,
      reject_hunk = function()
        M.settle_hunk('old')
      end,
      next_hunk = function()
        M.move_by(1)
      end,
      prev_hunk = function()
        M.move_by(-1)
      end,
    },
    accepts_on_write = function()
      return options.accept_on_write
    end,
    decide = function(decision)
      M.decide(entry, decision)
    end,
    redraw = function()
      M.draw_bar(view)
    end,
  })
  M.draw_bar(view)
  if vim.o.laststatus == 0 and vim.fn.exists('+winbar') == 0 then
    local labels = keys.labels(options.keys)
    ready.say(('Hawser: accept %s, reject %s'):format(labels.accept or ':HawserAccept', labels.reject or ':HawserReject'))
  end
  if proposal.notice and ready.may_speak() then
    ready.say('Hawser: ' .. proposal.notice, vim.log.levels.WARN)
  end
end

function M.draw_bar(view)
  bar.draw(view, { index = decided + 1, total = decided + #queue }, keys.labels(options.keys))
end

function M.wait_for(entry, obstacle)
  if obstacle ~= 'you pause' and not vim.startswith(obstacle, 'the prompt') then
    local who, what = entry.proposal.from or 'An agent', buffers.tail(entry.proposal.path)
    hint.show(('%s: %s proposes a change to %s, shown when %s'):format(M.indicator(), who, what, obstacle))
  end
  if timer then
    return
  end
  timer = vim.loop.new_timer()
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

function M.stop_waiting()
  hint.hide()
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
    M.stop_waiting()
  end,
})

return M
