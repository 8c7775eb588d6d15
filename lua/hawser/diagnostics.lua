-- Diagnostics in the units of agents.
local documents = require('hawser.documents')
local utf16 = require('hawser.utf16')

local M = {}

local api = vim.api

---@class hawser.FileDiagnostics
---@field uri string
---@field diagnostics table[]

--- More of them than this are not sent for one file.
local MAX_PER_FILE = 2000

---@param diagnostic vim.Diagnostic
---@return string|integer|nil
local function code_of(diagnostic)
  local lsp = type(diagnostic.user_data) == 'table' and diagnostic.user_data.lsp or nil
  local code = diagnostic.code or (type(lsp) == 'table' and lsp.code or nil)
  return (type(code) == 'string' or type(code) == 'number') and code or nil
end

--- Nil for a buffer that is no file.
---@param buf integer
---@return hawser.FileDiagnostics?
function M.of(buf)
  if not api.nvim_buf_is_valid(buf) or api.nvim_buf_get_name(buf) == '' then
    return nil
  end
  local line_at = documents.line_reader(buf, api.nvim_buf_get_name(buf))
  local list = {}
  for _, found in ipairs(vim.diagnostic.get(buf)) do
    if #list == MAX_PER_FILE then
      break
    end
    local end_row = found.end_lnum or found.lnum
    list[#list + 1] = {
      message = found.message,
      severity = found.severity or vim.diagnostic.severity.ERROR,
      range = {
        start = { line = found.lnum, character = utf16.from_byte(line_at(found.lnum), found.col or 0) },
        ['end'] = { line = end_row, character = utf16.from_byte(line_at(end_row), found.end_col or found.col or 0) },
      },
      source = type(found.source) == 'string' and found.source or nil,
      code = code_of(found),
    }
  end
  return { uri = documents.uri_of(buf), diagnostics = list }
end

--- Those that have any.
---@return integer[]
function M.buffers()
  local bufs = {}
  for _, found in ipairs(vim.diagnostic.get()) do
    bufs[found.bufnr] = true
  end
  return vim.tbl_keys(bufs)
end

return M
