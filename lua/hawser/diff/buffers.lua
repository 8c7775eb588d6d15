-- The two scratch buffers of a proposal. They are the only buffers that are ever written here.
local compat = require('hawser.compat')
local message = require('hawser.message')
local text = require('hawser.diff.text')

local M = {}

local api = vim.api

---@alias hawser.Side 'old'|'new'

--- The buffers of both sides, and what is known of their texts.
---@class hawser.DiffPair
---@field old integer
---@field new integer
---@field shape hawser.TextShape
---@field line_count integer
---@field edit integer How often the user's text was sent
---@field known_edit integer The edit whose hunks these are
---@field tick integer The changedtick of the text whose hunks these are
---@field hunks hawser.Hunk[]
---@field choices hawser.Choice[]

-- What makes a text look and be edited as in the file's own buffer, without running its filetype plugin again.
local COPIED = { 'tabstop', 'shiftwidth', 'softtabstop', 'expandtab', 'commentstring', 'comments', 'iskeyword' }

--- Makes the buffers of both sides.
---@param proposal hawser.Proposal
---@return hawser.DiffPair
function M.create(proposal)
  local pair = { edit = 0 }
  M.shape(pair, proposal)
  local old, new = text.parse(proposal.old, pair.shape), text.parse(proposal.new, pair.shape)
  pair.old = M.make(pair, proposal, 'old', old)
  pair.new = M.make(pair, proposal, 'new', new)
  pair.line_count = math.max(#old.lines, #new.lines)
  M.set_hunks(pair, proposal.hunks, proposal.choices)
  return pair
end

---@param pair hawser.DiffPair
---@param proposal hawser.Proposal
function M.shape(pair, proposal)
  pair.shape = text.shape(proposal.old, proposal.new)
end

--- Takes the hunks of the text that the buffers show now, and the choices about them.
---@param pair hawser.DiffPair
---@param hunks hawser.Hunk[]
---@param choices? hawser.Choice[]
function M.set_hunks(pair, hunks, choices)
  pair.hunks = hunks
  pair.choices = {}
  for index = 1, #hunks do
    pair.choices[index] = choices and choices[index] or ''
  end
  pair.known_edit = pair.edit
  pair.tick = api.nvim_buf_get_changedtick(pair.new)
end

--- Whether the hunks are those of the text on the screen.
---@param pair hawser.DiffPair
---@return boolean
function M.is_current(pair)
  return api.nvim_buf_get_changedtick(pair.new) == pair.tick
end

local SIDES = { old = 'now', new = 'proposed' }

---@param pair hawser.DiffPair
---@param proposal hawser.Proposal
---@param side hawser.Side
---@param document hawser.DiffText
---@return integer
function M.make(pair, proposal, side, document)
  local buffer = api.nvim_create_buf(false, true)
  local options = vim.bo[buffer]
  options.swapfile = false
  options.undofile = false
  options.bufhidden = 'wipe'
  options.buftype = 'acwrite'
  options.fixendofline = false
  options.modeline = false
  M.set_name(buffer, ('hawser://%s/%s'):format(SIDES[side], message.short_path(proposal.path)))
  M.set_form(pair, buffer)
  M.fill(buffer, document)
  options.modifiable = side == 'new'
  return buffer
end

---@param pair hawser.DiffPair
---@param buffer integer
function M.set_form(pair, buffer)
  local was_modifiable = vim.bo[buffer].modifiable
  vim.bo[buffer].modifiable = true
  vim.bo[buffer].fileformat = pair.shape.crlf and 'dos' or 'unix'
  vim.bo[buffer].bomb = pair.shape.bom
  vim.bo[buffer].modifiable = was_modifiable
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

--- Shows a new revision.
---@param pair hawser.DiffPair
---@param proposal hawser.Proposal
---@param keeps_new boolean The user has edited the new side since, so it stays
function M.refresh(pair, proposal, keeps_new)
  if not keeps_new then
    M.shape(pair, proposal)
    M.set_form(pair, pair.old)
    M.set_form(pair, pair.new)
    local was_modifiable = vim.bo[pair.new].modifiable
    M.fill(pair.new, text.parse(proposal.new, pair.shape))
    vim.bo[pair.new].modifiable = was_modifiable
  end
  M.fill(pair.old, text.parse(proposal.old, pair.shape))
  vim.bo[pair.old].modifiable = false
  M.set_hunks(pair, proposal.hunks, proposal.choices)
end

--- The choices about hunks as the bridge takes them.
---@param pair hawser.DiffPair
---@return { edit: integer, list: hawser.Choice[] }
function M.choices(pair)
  return { edit = pair.known_edit, list = pair.choices }
end

--- Puts the user's text into a buffer that stays, and gives its name; nil if the user has not changed the text.
---@param pair hawser.DiffPair
---@param proposal hawser.Proposal
---@return string?
function M.keep(pair, proposal)
  if not api.nvim_buf_is_loaded(pair.new) then
    return nil
  end
  if M.text(pair, 'new') == proposal.new and not proposal.is_edited then
    return nil
  end
  local buffer = api.nvim_create_buf(true, true)
  vim.bo[buffer].bufhidden = 'hide'
  M.set_form(pair, buffer)
  M.set_name(buffer, 'hawser://kept/' .. M.tail(proposal.path))
  local document = M.read(pair.new)
  api.nvim_buf_set_lines(buffer, 0, -1, false, document.lines)
  vim.bo[buffer].endofline = document.eol
  vim.bo[buffer].modified = false
  return (api.nvim_buf_get_name(buffer):gsub('^hawser://', ''))
end

--- Puts a document into a buffer as what was always there: undo does not go behind it.
---@param buffer integer
---@param document hawser.DiffText
function M.fill(buffer, document)
  local options = vim.bo[buffer]
  options.modifiable = true
  local undo_levels = options.undolevels
  options.undolevels = -1
  api.nvim_buf_set_lines(buffer, 0, -1, false, document.lines)
  options.undolevels = undo_levels
  options.endofline = document.eol
  options.modified = false
end

--- Restores the original proposal on one side.
---@param pair hawser.DiffPair
---@param proposal hawser.Proposal
---@param side hawser.Side
function M.refill(pair, proposal, side)
  M.fill(pair[side], text.parse(proposal[side], pair.shape))
  vim.bo[pair[side]].modifiable = side == 'new'
end

---@param path? string
---@return string
function M.tail(path)
  return (path or ''):match('[^/\\]+$') or 'untitled'
end

--- What a buffer holds now.
---@param buffer integer
---@return hawser.DiffText
function M.read(buffer)
  local lines = api.nvim_buf_get_lines(buffer, 0, -1, false)
  local eol = vim.bo[buffer].endofline
  if #lines == 1 and lines[1] == '' and M.is_empty(buffer) then
    lines = {}
  end
  return { lines = lines, eol = eol }
end

--- No line at all, and one empty line, look the same; only the count of bytes tells them apart.
---@param buffer integer
---@return boolean
function M.is_empty(buffer)
  return api.nvim_buf_call(buffer, function()
    return vim.fn.wordcount().bytes == 0
  end)
end

--- The exact text of a side.
---@param pair hawser.DiffPair
---@param side hawser.Side
---@return string
function M.text(pair, side)
  return text.join(M.read(pair[side]), pair.shape)
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
