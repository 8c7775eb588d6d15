-- The proposals that are open: which one is on the screen, which wait, and when the next one is shown. Hunks come with
-- each proposal, and the bridge applies decisions; nothing here computes a diff or writes a file.
local buffers = require('hawser.diff.buffers')
local compat = require('hawser.compat')
local cursor = require('hawser.diff.cursor')
local exchange = require('hawser.diff.exchange')
local highlights = require('hawser.highlights')
local keys = require('hawser.diff.keys')
local message = require('hawser.message')
local note = require('hawser.note')
local notes = require('hawser.diff.notes')
local ready = require('hawser.diff.ready')
local review = require('hawser.diff.review')
local views = require('hawser.diff.view')
local watch = require('hawser.diff.watch')

local M = {}

local POLL_MS = 100
--- For how long the user reads what else can be done.
local ADVICE_MS = 10000
--- How long the end of Neovim waits for the bridge
local LEAVE_MS = 2000

---@type hawser.DiffOptions
local options
--- In order of arrival; only the first is ever on the screen.
---@type hawser.DiffEntry[]
local queue = {}
--- How many of the proposals that wait together are decided: the 1 of "2 of 3".
local decided = 0
---@type uv.uv_timer_t?
local timer

--- Takes the options `diff` of hawser.setup(), which are checked there.
---@param given hawser.DiffOptions
function M.setup(given)
  options = vim.tbl_extend('force', given, { keys = vim.tbl_extend('force', keys.defaults, given.keys) })
  review.options = options
  highlights.define()
  ready.watch_keys()
end

---@param id string
---@return hawser.DiffEntry?
function M.find(id)
  for _, entry in ipairs(queue) do
    if entry.proposal.id == id then
      return entry
    end
  end
  return nil
end

--- Queues a proposal and returns at once; it appears as soon as the user is not typing.
---@param proposal hawser.Proposal
function M.show(proposal)
  if M.find(proposal.id) then
    error({ message = 'This proposal is shown or waits already' }, 0)
  end
  local needs_hunks = proposal.new ~= proposal.proposed
  queue[#queue + 1] = { proposal = proposal, is_deciding = false, notes = {}, needs_hunks = needs_hunks }
  M.advance(options.idle)
end

--- Shows a new revision in place of the one before.
---@param proposal hawser.Proposal
function M.update(proposal)
  local entry = M.find(proposal.id)
  if entry then
    exchange.update(entry, proposal)
    review.show_again(entry)
    message.say('changed on disk; look at the proposal again', 'WARN', message.short_path(proposal.path))
  end
end

--- It could not be written; without a reason it is undecided again.
---@param id string
---@param reason? string
---@param text? string What was to be written
function M.fail(id, reason, text)
  local entry = M.find(id)
  if not entry then
    return
  end
  local proposal, view = entry.proposal, entry.view
  entry.is_deciding, proposal.failure, proposal.new = false, reason, text or proposal.new
  if view then
    exchange.show_anew(entry, view, text, text ~= nil)
    review.show_again(entry)
  else
    entry.needs_hunks = text ~= nil
  end
end

--- The bridge knows a newer text of the file than the one that was decided about.
---@param entry hawser.DiffEntry
local function refuse_stale(entry)
  entry.is_deciding = false
  message.say('the file has changed; look again before you accept', 'WARN')
  if entry.view and not views.is_whole(entry.view) then
    M.show_again(entry)
  end
end

exchange.listeners = { redraw = review.draw_bar, refused = refuse_stale }

---@class hawser.ClosedProposal
---@field path? string
---@field agent? string
---@field was_shown boolean
---@field is_decided_here boolean
---@field kept? string The name of a buffer with the user's text, if there was any that would be lost

--- Takes a proposal away. Returns nil when there is none.
---@param id string
---@return hawser.ClosedProposal?
function M.close(id)
  local entry = M.find(id)
  if not entry then
    return nil
  end
  local view, is_decided = entry.view, entry.is_deciding
  local proposal = entry.proposal
  ---@type hawser.ClosedProposal
  local closed = { path = proposal.path, agent = proposal.agent, was_shown = view ~= nil, is_decided_here = is_decided }
  local edited = not is_decided and exchange.edited_text(entry)
  if edited then
    closed.kept = buffers.keep(proposal, edited)
  end
  decided = is_decided and decided + 1 or decided
  queue = vim.tbl_filter(function(other)
    return other ~= entry
  end, queue)
  local was_attended = M.take_down(entry)
  if #queue == 0 then
    decided = 0
  end
  -- A user who has just decided is reviewing: the next one can follow at once.
  M.advance(was_attended and is_decided and 0 or options.idle, was_attended and view or nil)
  return closed
end

--- Takes everything away, for example when the bridge has ended. The last comes first, so that none appears meanwhile.
function M.close_all()
  local kept
  for index = #queue, 1, -1 do
    local closed = M.close(queue[index].proposal.id)
    kept = closed and closed.kept or kept
  end
  if kept then
    message.say(('the proposal is closed; your text is in :b %s'):format(kept), 'WARN')
  end
end

--- Proposals in order.
---@return { id: string, path?: string, agent?: string, state: 'shown'|'waiting' }[]
function M.pending()
  return vim.tbl_map(function(entry)
    local proposal = entry.proposal
    return {
      id = proposal.id,
      path = proposal.path,
      agent = proposal.agent,
      state = entry.view and 'shown' or 'waiting',
    }
  end, queue)
end

--- The proposal on the screen, if there is one.
---@return hawser.DiffEntry?
function M.shown()
  return queue[1] and queue[1].view and queue[1] or nil
end

--- Goes to the first proposal, and shows it although keys were just typed. False when even that is not possible now.
---@return boolean
function M.reveal()
  local first = queue[1]
  if not first then
    message.say('no proposal is open')
    return false
  end
  M.advance(0)
  if not first.view then
    return false
  end
  M.enter(first.view)
  return true
end

--- Moves the focus to a view that the user is not in.
---@param view hawser.DiffView
function M.enter(view)
  note.hide()
  if not cursor.side(view) then
    views.remember_place(view)
    vim.api.nvim_set_current_win(view.windows.new)
    cursor.go_to_hunk(view, view.hunk or 1)
  end
end

--- Returns whether the user was in its view.
---@param entry hawser.DiffEntry
---@return boolean
function M.take_down(entry)
  local view = entry.view
  entry.view = nil
  if not view then
    return false
  end
  watch.stop(view)
  local ok, result = pcall(views.close, view)
  if not ok then
    message.say('the view could not be closed: ' .. tostring(result), 'ERROR')
  end
  return ok and result
end

--- Shows the first proposal if it can be shown now, else makes sure that it will be.
---@param idle integer
---@param after? hawser.DiffView The view that the user was in a moment ago
function M.advance(idle, after)
  local entry = queue[1]
  local is_back = after ~= nil and after.place.was_in_terminal or false
  review.position = { index = decided + 1, total = decided + #queue }
  if review.is_leaving() or not entry or entry.view then
    M.stop_polling()
    if entry and entry.view then
      review.draw_bar(entry.view)
      return
    end
    note.hide()
    if after and is_back then
      views.enter_terminal(after)
    end
    return
  end
  local obstacle, kind = ready.obstacle(idle)
  if obstacle and not (kind == 'terminal' and views.can_open_beside()) then
    if after and is_back then
      views.enter_terminal(after)
    end
    M.wait_for(entry, obstacle)
    return
  end
  M.stop_polling()
  note.hide()
  M.present(entry, {
    layout = options.layout --[[@as hawser.Layout]],
    beside = kind == 'terminal',
    was_in_terminal = kind == 'terminal' or is_back,
  })
end

---@param entry hawser.DiffEntry
---@param how hawser.Opening
function M.present(entry, how)
  local proposal = entry.proposal
  local ok, view = pcall(views.open, proposal, how)
  if not ok then
    -- It stays open for other reviewers, and is shown here when there is room.
    if not entry.is_reported then
      entry.is_reported = true
      message.say(('%s cannot be shown: %s'):format(message.short_path(proposal.path), tostring(view)), 'WARN')
    end
    M.start_polling()
    return
  end
  entry.view = view
  watch.start(entry, view, M)
  notes.draw(entry)
  review.draw_bar(view)
  if entry.needs_hunks then
    entry.needs_hunks = false
    exchange.ask_hunks(entry, view)
  end
  if how.beside then
    note.show(('%s: <C-\\><C-n> goes to the proposal'):format(message.short_path(proposal.path)))
    return
  end
  review.hold(view, options.grace)
  if proposal.advice then
    note.show_for(proposal.advice, ADVICE_MS)
  end
  if vim.o.laststatus == 0 and not compat.has_winbar then
    local labels = keys.labels(options.keys)
    message.say(('accept %s, reject %s'):format(labels.accept or ':Hawser accept', labels.reject or ':Hawser reject'))
  end
end

--- Shows a proposal again whose view was closed before the user can have seen it.
---@param entry hawser.DiffEntry
function M.show_again(entry)
  M.take_down(entry)
  M.advance(options.idle)
end

---@param entry hawser.DiffEntry
---@param obstacle string
function M.wait_for(entry, obstacle)
  if obstacle ~= 'you pause' and not vim.startswith(obstacle, 'the prompt') then
    note.show(('a change to %s is shown when %s'):format(message.short_path(entry.proposal.path), obstacle))
  end
  M.start_polling()
end

function M.start_polling()
  if timer then
    return
  end
  timer = assert(compat.uv.new_timer())
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

function M.stop_polling()
  if timer then
    timer:stop()
    timer:close()
    timer = nil
  end
end

--- What the user has decided reaches the bridge, which may write it through this Neovim, before that exits.
function M.leave()
  M.stop_polling()
  for _, entry in ipairs(queue) do
    local view = entry.view
    if view and view.decision_on_close and not view.hold then
      exchange.decide(entry, view.decision_on_close)
    end
  end
  vim.wait(LEAVE_MS, function()
    return #vim.tbl_filter(function(entry)
      return entry.is_deciding
    end, queue) == 0
  end, 5)
end

vim.api.nvim_create_autocmd('VimLeavePre', {
  group = vim.api.nvim_create_augroup('hawser_diff', { clear = true }),
  callback = M.leave,
})

return M
