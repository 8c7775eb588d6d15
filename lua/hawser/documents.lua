-- Which buffers are documents to an agent, and what they are called.
local compat = require('hawser.compat')
local language_id = require('hawser.language_id')
local message = require('hawser.message')

local M = {}

local api = vim.api
local uv, option = compat.uv, compat.buffer_option

---@class hawser.BufferFacts
---@field name string
---@field is_resolved boolean Whether links in the path are followed, and the disk was looked at
---@field path? string
---@field uri? string Of the path, once it was needed
---@field is_file? boolean

--- A document as the bridge gets it.
---@class hawser.Document
---@field uri string
---@field languageId? string Absent for one that is not loaded: the bridge goes by its name
---@field lineCount? integer Absent for one that is not loaded: the bridge counts the lines of the file
---@field isActive boolean
---@field isDirty boolean
---@field isUntitled boolean

--- What is known of a buffer's name, until the name changes.
---@type table<integer, hawser.BufferFacts>
local known = {}
--- The document that was current last.
---@type integer?
local last_active

--- Fails with a message for the user.
---@param text string
---@param ... any What stands in the text
function M.fail(text, ...)
  error({ message = text:format(...) }, 0)
end

--- Without the place in our own code and without Neovim's own name for what failed.
---@param problem any
---@return string
function M.words_of(problem)
  if type(problem) == 'table' and problem.message then
    return problem.message
  end
  local text = tostring(problem):gsub('\nstack traceback:.*', '')
  return (text:match('Vim[^:]*:(E%d+: .*)') or text)
end

--- A file that another Neovim has open is opened read-only: the question about its swap file would stop everything.
---@param buf integer
function M.load(buf)
  local ok, problem = pcall(vim.fn.bufload, buf)
  if ok then
    return
  end
  if not tostring(problem):find('E325', 1, true) then
    M.fail('%s: %s', M.words_of(problem), api.nvim_buf_get_name(buf))
  end
  if not api.nvim_buf_is_loaded(buf) then
    vim.cmd(('silent! call bufload(%d)'):format(buf))
  end
  vim.bo[buf].readonly = true
  local name = vim.fn.fnamemodify(api.nvim_buf_get_name(buf), ':t')
  message.say('is open in another Neovim; it was opened read-only', 'WARN', name)
end

---@param name string
---@return string
local function real_path(name)
  local real = uv.fs_realpath(name)
  if real then
    return real
  end
  -- A file that does not exist yet is where its folder really is.
  local folder = uv.fs_realpath(vim.fn.fnamemodify(name, ':h'))
  if not folder then
    return name
  end
  return (folder == '/' and '' or folder) .. '/' .. vim.fn.fnamemodify(name, ':t')
end

--- Of a buffer that is not loaded nothing is looked up on disk: there may be many, and the bridge can do it.
---@param buf integer
---@return hawser.BufferFacts
local function facts_of(buf)
  local name = api.nvim_buf_get_name(buf)
  local facts = known[buf]
  if facts and facts.name == name and (facts.is_resolved or not api.nvim_buf_is_loaded(buf)) then
    return facts
  end
  facts = { name = name, is_resolved = api.nvim_buf_is_loaded(buf) }
  if name ~= '' and not name:match('^%a[%w+.-]+://') then
    local stat = facts.is_resolved and uv.fs_stat(name)
    facts.path = facts.is_resolved and real_path(name) or name
    facts.is_file = not stat or stat.type ~= 'directory'
  end
  known[buf] = facts
  return facts
end

---@param buf integer
function M.forget(buf)
  known[buf] = nil
end

---@param buf integer
---@return boolean
local function is_blank(buf)
  return api.nvim_buf_line_count(buf) == 1 and M.line_at(buf, 0) == ''
end

--- A listed buffer that holds a file, or text that was never saved.
---@param buf integer
---@return boolean
function M.is_document(buf)
  if not api.nvim_buf_is_valid(buf) or not option(buf, 'buflisted') or option(buf, 'buftype') ~= '' then
    return false
  end
  local facts = facts_of(buf)
  if facts.name == '' then
    return api.nvim_buf_is_loaded(buf) and (option(buf, 'modified') or not is_blank(buf))
  end
  return facts.path ~= nil and facts.is_file == true
end

--- The absolute path without links; only a name for what was never saved.
---@param buf integer
---@return string
function M.path_of(buf)
  local facts = facts_of(buf)
  return facts.path or (facts.name == '' and 'Untitled-' .. buf or facts.name)
end

--- The address of a document in messages to the bridge.
---@param buf integer
---@return string
function M.uri_of(buf)
  local facts = facts_of(buf)
  if not facts.uri then
    facts.uri = facts.path and vim.uri_from_fname(facts.path) or 'untitled:' .. M.path_of(buf)
  end
  return facts.uri
end

--- The path or the name that an address of the bridge stands for.
---@param uri string
---@return string
function M.path_in(uri)
  return uri:match('^untitled:(.*)') or vim.uri_to_fname(uri)
end

---@param path string
---@return string
local function tail(path)
  return path:match('[^/]*$')
end

---@param path string
---@return integer?
function M.find(path)
  local real = real_path(path)
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local facts = facts_of(buf)
    local own = facts.path or M.path_of(buf)
    local is_it = own == path or own == real
    if not is_it and facts.path and not facts.is_resolved and tail(own) == tail(real) then
      is_it = real_path(own) == real
    end
    if is_it and M.is_document(buf) then
      return buf
    end
  end
end

---@param path string
---@return integer
function M.get(path)
  return M.find(path) or M.fail('Not open: %s', path) --[[@as integer]]
end

--- The document that is current; in a terminal, a file tree and the like, the one that was current before.
---@return integer?
function M.active()
  local current = api.nvim_get_current_buf()
  if M.is_document(current) then
    last_active = current
  elseif vim.bo[current].buftype == '' and facts_of(current).name == '' then
    last_active = nil
  elseif last_active and not M.is_document(last_active) then
    last_active = nil
  end
  return last_active
end

--- For a document that is shown without being entered.
---@param buf integer
function M.set_active(buf)
  last_active = buf
end

---@param buf integer
---@return boolean
function M.has_final_line_end(buf)
  if not vim.bo[buf].endofline then
    return false
  end
  -- An empty file and a file of one empty line look alike, but for this.
  return not is_blank(buf) or api.nvim_buf_call(buf, vim.fn.wordcount).bytes > 0
end

--- After a final line end there is one more, empty line, as other editors count.
---@param buf integer
---@return integer
function M.line_count(buf)
  return api.nvim_buf_line_count(buf) + (M.has_final_line_end(buf) and 1 or 0)
end

---@param buf integer
---@param row integer
---@return string # Empty if there is none
function M.line_at(buf, row)
  return api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
end

--- The lines, by row, of a buffer; of the file when it is not loaded.
---@param buf? integer
---@param path string
---@return fun(row: integer): string
function M.line_reader(buf, path)
  if buf and api.nvim_buf_is_loaded(buf) then
    return function(row)
      return M.line_at(buf, row)
    end
  end
  local lines
  return function(row)
    if not lines then
      local ok, read = pcall(vim.fn.readfile, path)
      lines = ok and read or {}
    end
    local line = (lines[row + 1] or ''):gsub('\r$', '')
    return line
  end
end

M.LINE_ENDS = { unix = '\n', dos = '\r\n', mac = '\r' }

---@param buf integer
---@return string
function M.line_end(buf)
  return M.LINE_ENDS[vim.bo[buf].fileformat]
end

--- The lines of a text, and whether the last one ends. An empty text has one empty line, which does not.
---@param text string
---@param line_end string
---@return string[] lines
---@return boolean is_ended
function M.split(text, line_end)
  local lines = vim.split(text, line_end, { plain = true })
  local is_ended = #lines > 1 and lines[#lines] == ''
  if is_ended then
    lines[#lines] = nil
  end
  return lines, is_ended
end

--- What saving a buffer would write, without a byte order mark.
---@param buf integer
---@param lines? string[] In place of the buffer's
---@return string
function M.text_of(buf, lines)
  local line_end = M.line_end(buf)
  local text = table.concat(lines or api.nvim_buf_get_lines(buf, 0, -1, false), line_end)
  return text .. (M.has_final_line_end(buf) and line_end or '')
end

---@param buf integer
---@param active? integer
---@return hawser.Document
local function describe(buf, active)
  local is_loaded = api.nvim_buf_is_loaded(buf)
  local filetype = option(buf, 'filetype')
  return {
    uri = M.uri_of(buf),
    languageId = (is_loaded or filetype ~= '') and language_id.of(filetype) or nil,
    lineCount = is_loaded and M.line_count(buf) or nil,
    isActive = buf == active,
    isDirty = option(buf, 'modified'),
    isUntitled = facts_of(buf).name == '',
  }
end

--- The buffers of all documents.
---@return integer[]
function M.buffers()
  return vim.tbl_filter(M.is_document, api.nvim_list_bufs())
end

---@return hawser.Document[]
function M.list()
  local active = M.active()
  return vim.tbl_map(function(buf)
    return describe(buf, active)
  end, M.buffers())
end

return M
