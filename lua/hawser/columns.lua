-- The columns in what language servers answer. Most count UTF-16 units, as the bridge does; some count bytes or
-- characters.
local documents = require('hawser.documents')
local utf16 = require('hawser.utf16')

local M = {}

---@alias hawser.Encoding 'utf-8'|'utf-16'|'utf-32'

---@param line string
---@param character integer
---@param encoding hawser.Encoding
---@return integer
function M.convert(line, character, encoding)
  if encoding == 'utf-32' then
    local ok, byte = pcall(vim.str_byteindex, line, character)
    character = ok and byte or #line
  end
  return utf16.from_byte(line, character)
end

---@param value any
---@return boolean
local function is_position(value)
  return type(value) == 'table' and type(value.line) == 'number' and type(value.character) == 'number'
end

--- Changes every range in an answer to UTF-16 columns. Each is in the document that the nearest value around it names,
--- or in the one that was asked about.
---@param answer any
---@param encoding hawser.Encoding
---@param uri? string
function M.to_utf16(answer, encoding, uri)
  if encoding == 'utf-16' then
    return
  end
  ---@type table<string, fun(row: integer): string>
  local known = {}
  local function convert(at, document)
    local path = documents.path_in(document)
    known[document] = known[document] or documents.line_reader(documents.find(path), path)
    at.character = M.convert(known[document](at.line), at.character, encoding)
  end
  local function walk(value, document)
    if type(value) ~= 'table' then
      return
    end
    if is_position(value.start) and is_position(value['end']) then
      if document then
        convert(value.start, document)
        convert(value['end'], document)
      end
      return
    end
    local named = value.uri or value.targetUri or (type(value.textDocument) == 'table' and value.textDocument.uri)
    local inner = type(named) == 'string' and named or document
    for key, each in pairs(value) do
      if key == 'changes' and type(each) == 'table' then
        for changed, edits in pairs(each) do
          walk(edits, changed)
        end
      elseif key ~= 'data' then
        walk(each, key == 'originSelectionRange' and document or inner)
      end
    end
  end
  walk(answer, uri)
end

return M
