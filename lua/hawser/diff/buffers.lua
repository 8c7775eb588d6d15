-- The two scratch buffers of a proposal. They are the only buffers that are ever written here.
local text = require('hawser.diff.text')

local M = {}

local api = vim.api

-- What makes a text look and be edited as in the file's own buffer, without running its filetype plugin again.
local COPIED = { 'tabstop', 'shiftwidth', 'softtabstop', 'expandtab', 'commentstring', 'comments', 'iskeyword' }

--- Makes the buffers of both sides. Returns { old = buffer, new = buffer, shape, … } for the functions below.
function M.create(proposal)
  local shape = text.shape(proposal.old, proposal.new)
  local pair = { shape = shape }
  local old, new = text.parse(proposal.old, shape), text.parse(proposal.new, shape)
  pair.hunks = text.checked_hunks(proposal.hunks, old, new) or text.hunks(old, new)
  pair.old = M.make(pair, proposal, 'old', old)
  pair.new = M.make(pair, proposal, 'new', new)
  pair.line_count = math.max(#old.lines, #new.lines)
  M.remember_ticks(pair)
  return pair
end

function M.make(pair, proposal, side, document)
  local buffer = api.nvim_create_buf(false, true)
  local options = vim.bo[buffer]
  options.swapfile = false
  options.undofile = false
  options.bufhidden = 'wipe'
  options.buftype = 'acwrite'
  options.fileformat = pair.shape.crlf and 'dos' or 'unix'
  options.bomb = pair.shape.bom
  options.fixendofline = false
  options.modeline = false
  local name = ('hawser://%s/%s/%s'):format(side, tostring(proposal.id), M.tail(proposal.path))
  api.nvim_buf_set_name(buffer, (name:gsub('%c', '?')))
  M.fill(buffer, document)
  options.modifiable = side == 'new'
  return buffer
end

--- Puts a document into a buffer as what was always there: undo does not go behind it.
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

--- Back to the proposal as it came, on one side.
function M.refill(pair, proposal, side)
  M.fill(pair[side], text.parse(proposal[side], pair.shape))
  vim.bo[pair[side]].modifiable = side == 'new'
end

function M.tail(path)
  return (path or ''):match('[^/\\]+$') or 'untitled'
end

--- What a buffer holds now.
function M.read(buffer)
  local lines = api.nvim_buf_get_lines(buffer, 0, -1, false)
  local eol = vim.bo[buffer].endofline
  if #lines == 1 and lines[1] == '' and M.is_empty(buffer) then
    lines = {}
  end
  return { lines = lines, eol = eol }
end

--- No line at all, and one empty line, look the same; only the count of bytes tells them apart.
function M.is_empty(buffer)
  return api.nvim_buf_call(buffer, function()
    return vim.fn.wordcount().bytes == 0
  end)
end

--- The exact text of a side.
function M.text(pair, side)
  return text.join(M.read(pair[side]), pair.shape)
end

--- What differs now: as proposed until somebody edits, then found anew.
function M.current_hunks(pair)
  for _, side in ipairs({ 'old', 'new' }) do
    if api.nvim_buf_get_changedtick(pair[side]) ~= pair.ticks[side] then
      pair.hunks = text.hunks(M.read(pair.old), M.read(pair.new))
      M.remember_ticks(pair)
      break
    end
  end
  return pair.hunks
end

function M.remember_ticks(pair)
  pair.ticks = {
    old = api.nvim_buf_get_changedtick(pair.old),
    new = api.nvim_buf_get_changedtick(pair.new),
  }
end

--- Makes both sides the same in one hunk, with the lines of `from` ('old' rejects, 'new' accepts).
function M.settle_hunk(pair, index, from)
  local hunks = M.current_hunks(pair)
  local hunk = hunks[index]
  local to = from == 'old' and 'new' or 'old'
  local source, target = M.read(pair[from]), M.read(pair[to])
  local at = { old = { hunk[1], hunk[2] }, new = { hunk[3], hunk[4] } }
  local first, count = at[from][1], at[from][2]
  local lines = vim.list_slice(source.lines, first, first + count - 1)
  local target_first, target_count = at[to][1], at[to][2]
  local target_last = target_first + target_count - 1
  local reaches_end = first + count - 1 == #source.lines and target_last == #target.lines

  local options = vim.bo[pair[to]]
  local was_modifiable = options.modifiable
  options.modifiable = true
  if target_count == #target.lines then
    api.nvim_buf_set_lines(pair[to], 0, -1, false, lines)
  else
    api.nvim_buf_set_lines(pair[to], target_first - 1, target_last, false, lines)
  end
  if reaches_end then
    options.endofline = source.eol
  end
  options.modifiable = was_modifiable
  options.modified = false

  local moved = count - target_count
  local rest = {}
  for i, other in ipairs(hunks) do
    if i < index then
      rest[#rest + 1] = other
    elseif i > index then
      local old_moved = to == 'old' and moved or 0
      local new_moved = to == 'new' and moved or 0
      rest[#rest + 1] = { other[1] + old_moved, other[2], other[3] + new_moved, other[4] }
    end
  end
  pair.hunks = rest
  M.remember_ticks(pair)
end

--- Highlights both sides as the file's own buffer is, without the events that would start its plugins again.
function M.highlight(pair, path)
  local own = M.loaded_buffer(path)
  local filetype = own and vim.bo[own].filetype or ''
  if filetype == '' then
    filetype = M.detect_filetype(pair.new, path)
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

function M.detect_filetype(buffer, path)
  if not path or path == '' then
    return ''
  end
  if vim.fn.has('nvim-0.8') == 1 then
    local ok, found = pcall(vim.filetype.match, { filename = path, buf = buffer })
    return ok and found or ''
  end
  -- 0.7 can only detect by setting the option, so it is set where nobody listens.
  M.without_events('FileType,Syntax', function()
    pcall(api.nvim_buf_call, buffer, function()
      vim.cmd('silent! doautocmd <nomodeline> filetypedetect BufRead ' .. vim.fn.fnameescape(path))
    end)
  end)
  return vim.bo[buffer].filetype
end

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
