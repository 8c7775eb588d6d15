-- The two scratch buffers of a proposal. They are the only buffers that are ever written here.
local choices = require('hawser.diff.choices')
local compat = require('hawser.compat')
local message = require('hawser.message')
local proposals = require('hawser.diff.proposal')
local text = require('hawser.diff.text')

local M = {}

local api = vim.api

---@alias hawser.Side 'old'|'new'

--- The buffers of both sides, and what is known of their texts.
---@class hawser.DiffPair
---@field old integer
---@field new integer
---@field line_count integer
---@field tick integer The changedtick of the text whose hunks these are
---@field whole { hunks: hawser.Hunk[], choices: hawser.Choice[] } Of the whole change
---@field round_hunks? hawser.Hunk[] What has changed since the round before
---@field hunks hawser.Hunk[] Those that are shown
---@field choices hawser.Choice[] On them

-- What makes a text look and be edited as in the file's own buffer, without running its filetype plugin again.
local COPIED = { 'tabstop', 'shiftwidth', 'softtabstop', 'expandtab', 'commentstring', 'comments', 'iskeyword' }

--- Makes the buffers of both sides.
---@param proposal hawser.Proposal
---@return hawser.DiffPair
function M.create(proposal)
  local old, new = M.make(proposal, 'old', proposals.old_text(proposal)), M.make(proposal, 'new', proposal.new)
  local pair = { old = old, new = new }
  pair.line_count = math.max(api.nvim_buf_line_count(old), api.nvim_buf_line_count(new))
  M.set_hunks(pair, proposal, proposal)
  return pair
end

--- Takes the hunks of the text that the buffers show now, and the choices about them.
---@param pair hawser.DiffPair
---@param proposal hawser.Proposal
---@param found { hunks: hawser.Hunk[], choices: hawser.Choice[], round_hunks?: hawser.Hunk[] }
function M.set_hunks(pair, proposal, found)
  pair.whole = { hunks = found.hunks, choices = {} }
  for index = 1, #found.hunks do
    pair.whole.choices[index] = found.choices[index] or 'undecided'
  end
  pair.round_hunks = found.round_hunks
  pair.tick = api.nvim_buf_get_changedtick(pair.new)
  M.choose_hunks(pair, proposal)
end

--- Shows the hunks of the comparison that the user wants.
---@param pair hawser.DiffPair
---@param proposal hawser.Proposal
function M.choose_hunks(pair, proposal)
  if proposal.compares == 'round' and pair.round_hunks then
    pair.hunks = pair.round_hunks
    pair.choices = choices.on(pair.hunks, pair.whole)
  else
    pair.hunks, pair.choices = pair.whole.hunks, pair.whole.choices
  end
end

--- Whether the hunks are those of the text on the screen.
---@param pair hawser.DiffPair
---@return boolean
function M.is_current(pair)
  return api.nvim_buf_get_changedtick(pair.new) == pair.tick
end

local SIDES = { old = 'now', new = 'proposed' }

---@param proposal hawser.Proposal
---@param side hawser.Side
---@param given? string
---@return integer
function M.make(proposal, side, given)
  local buffer = api.nvim_create_buf(false, true)
  local options = vim.bo[buffer]
  options.swapfile = false
  options.undofile = false
  options.bufhidden = 'wipe'
  options.buftype = 'acwrite'
  options.fixendofline = false
  options.modeline = false
  -- The user may have turned it off for new buffers.
  options.modifiable = true
  M.set_name(buffer, ('hawser://%s/%s'):format(SIDES[side], message.short_path(proposal.path)))
  M.set_form(buffer, proposal)
  text.fill(buffer, given)
  options.modifiable = side == 'new'
  return buffer
end

--- Makes a buffer look as the file does. No text is changed by it.
---@param buffer integer
---@param proposal hawser.Proposal
function M.set_form(buffer, proposal)
  vim.bo[buffer].fileformat = proposal.shape.crlf and 'dos' or 'unix'
  vim.bo[buffer].bomb = proposal.shape.bom
end

--- Another buffer can have this name.
---@param buffer integer
---@param name string
function M.set_name(buffer, name)
  local number = 1
  while not pcall(api.nvim_buf_set_name, buffer, number == 1 and name or ('%s (%d)'):format(name, number)) do
    number = number + 1
    if number > 100 then
      return
    end
  end
end

--- Shows another text of a proposal in a buffer.
---@param buffer integer
---@param proposal hawser.Proposal
---@param given? string
function M.refill(buffer, proposal, given)
  local was_modifiable = vim.bo[buffer].modifiable
  vim.bo[buffer].modifiable = true
  M.set_form(buffer, proposal)
  text.fill(buffer, given)
  vim.bo[buffer].modifiable = was_modifiable
end

--- Puts the user's text into a buffer that stays, and gives its name.
---@param proposal hawser.Proposal
---@param kept string
---@return string
function M.keep(proposal, kept)
  local buffer = api.nvim_create_buf(true, true)
  vim.bo[buffer].bufhidden = 'hide'
  vim.bo[buffer].modifiable = true
  M.set_form(buffer, proposal)
  M.set_name(buffer, 'hawser://kept/' .. vim.fn.fnamemodify(proposal.path, ':t'))
  text.fill(buffer, kept)
  return (api.nvim_buf_get_name(buffer):gsub('^hawser://', ''))
end

--- Highlights both sides as the file's own buffer is, without the events that would start its plugins again.
---@param pair hawser.DiffPair
---@param path? string
function M.highlight(pair, path)
  local own = M.loaded_buffer(path)
  local filetype = own and vim.bo[own].filetype or ''
  if filetype == '' then
    filetype = path and path ~= '' and compat.detect_filetype(pair.new, path) or ''
  end
  for _, buffer in ipairs({ pair.old, pair.new }) do
    if own then
      for _, name in ipairs(COPIED) do
        vim.bo[buffer][name] = vim.bo[own][name]
      end
    end
    if filetype ~= '' then
      M.without_events('FileType', function()
        vim.bo[buffer].filetype = filetype
      end)
      if not M.start_treesitter(buffer, own, filetype) then
        vim.bo[buffer].syntax = filetype
      end
    end
  end
end

---@param path? string
---@return integer?
function M.loaded_buffer(path)
  if not path or path == '' then
    return nil
  end
  for _, buffer in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buffer) and api.nvim_buf_get_name(buffer) == path then
      return buffer
    end
  end
  return nil
end

---@param buffer integer
---@param own? integer
---@param filetype string
---@return boolean
function M.start_treesitter(buffer, own, filetype)
  local treesitter = vim.treesitter
  if not own or not treesitter or not treesitter.start or not treesitter.highlighter then
    return false
  end
  if not treesitter.highlighter.active[own] then
    return false
  end
  local language = treesitter.language and treesitter.language.get_lang and treesitter.language.get_lang(filetype)
  return (pcall(treesitter.start, buffer, language or filetype))
end

---@param events string
---@param run fun()
function M.without_events(events, run)
  local ignored = vim.o.eventignore
  vim.o.eventignore = ignored == '' and events or (ignored .. ',' .. events)
  local ok, problem = pcall(run)
  vim.o.eventignore = ignored
  if not ok then
    error(problem, 0)
  end
end

return M
