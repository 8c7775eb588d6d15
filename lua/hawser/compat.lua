-- What differs between Neovim 0.7.2 and the newest. Nothing else here asks for a version: to drop an old Neovim, remove
-- the branches that name it.
local M = {}

local api = vim.api

local function has(version)
  return vim.fn.has('nvim-' .. version) == 1
end

---@class hawser.Health
---@field start fun(name: string)
---@field ok fun(text: string)
---@field info fun(text: string)
---@field warn fun(text: string, advice?: string[])
---@field error fun(text: string, advice?: string[])

--- The event loop. `vim.uv` came with 0.10.
M.uv = vim.uv or vim.loop

--- Whether windows can have a bar above. Came with 0.8.
M.has_winbar = vim.fn.exists('+winbar') == 1

--- Reads an option of a buffer; `vim.bo` takes ten times as long, and there may be a thousand buffers. 0.10 deprecates
--- the older function.
---@type fun(buf: integer, name: string): any
M.buffer_option = has('0.10')
    and function(buf, name)
      return api.nvim_get_option_value(name, { buf = buf })
    end
  ---@diagnostic disable-next-line: deprecated
  or api.nvim_buf_get_option

--- Where programs log. Before 0.8 there is no such folder.
---@return string
function M.log_folder()
  return has('0.8') and vim.fn.stdpath('log') --[[@as string]] or vim.fn.stdpath('cache') --[[@as string]]
end

--- Runs the `User` autocommands of this name. Before 0.8 autocommands have no data.
---@param name string
---@param data? table
function M.exec_user_autocmds(name, data)
  api.nvim_exec_autocmds('User', { pattern = name, modeline = false, data = has('0.8') and data or nil })
end

--- The functions of |health-functions|, which had other names before 0.9; 0.12 has no more of those.
---@return hawser.Health
function M.health()
  local health = vim.health or require('health')
  if health.start then
    return health
  end
  return {
    start = health.report_start,
    ok = health.report_ok,
    info = health.report_info,
    warn = health.report_warn,
    error = health.report_error,
  }
end

--- What a highlight group looks like, links followed. 0.9 has another function for it.
---@param name string
---@return { fg?: integer, bg?: integer, ctermfg?: integer, ctermbg?: integer }
function M.highlight(name)
  if has('0.9') then
    return api.nvim_get_hl(0, { name = name, link = false }) --[[@as table]]
  end
  ---@diagnostic disable-next-line: deprecated
  local rgb, cterm = api.nvim_get_hl_by_name(name, true), api.nvim_get_hl_by_name(name, false)
  return { fg = rgb.foreground, bg = rgb.background, ctermfg = cterm.foreground, ctermbg = cterm.background }
end

--- Runs a command in the terminal of the current buffer. 0.11 deprecates the older function.
---@param command string[]
---@param options table
---@return integer job
function M.open_terminal(command, options)
  if has('0.11') then
    return vim.fn.jobstart(command, vim.tbl_extend('error', options, { term = true }))
  end
  ---@diagnostic disable-next-line: deprecated
  return vim.fn.termopen(command, options)
end

--- The row or column of a floating window. Before 0.10 it is a table with one member.
---@param position number|table
---@return number
function M.float_position(position)
  return type(position) == 'table' and position[false] or position --[[@as number]]
end

--- The type of a file by its name and the text in a buffer; '' if there is none. 0.7 can only detect by setting the
--- option, so it is set without events.
---@param buf integer
---@param path string
---@return string
function M.detect_filetype(buf, path)
  if has('0.8') then
    local ok, found = pcall(vim.filetype.match, { filename = path, buf = buf })
    return ok and found or ''
  end
  local ignored = vim.o.eventignore
  vim.o.eventignore = (ignored == '' and '' or ignored .. ',') .. 'FileType,Syntax'
  pcall(api.nvim_buf_call, buf, function()
    vim.cmd('silent! doautocmd <nomodeline> filetypedetect BufRead ' .. vim.fn.fnameescape(path))
  end)
  vim.o.eventignore = ignored
  return vim.bo[buf].filetype
end

--- Hunks between two texts, as { old_start, old_count, new_start, new_count }. 0.12 has another name for it.
---@param old string
---@param new string
---@return integer[][]
function M.diff_indices(old, new)
  ---@diagnostic disable-next-line: deprecated
  local diff = vim.text and vim.text.diff or vim.diff
  return diff(old, new, { result_type = 'indices' }) --[[@as integer[][] ]]
end

--- The language servers of a buffer, or all. `get_clients` came with 0.10.
---@param buf? integer
---@return table[]
function M.lsp_clients(buf)
  local lsp = vim.lsp
  if lsp.get_clients then
    return lsp.get_clients({ bufnr = buf })
  end
  ---@diagnostic disable-next-line: deprecated
  return buf and vim.tbl_values(lsp.buf_get_clients(buf)) or lsp.get_active_clients()
end

--- Calls a function of a language server's client. 0.11 made them methods.
---@param client table
---@param name string
---@param ... any
---@return any ...
function M.lsp_call(client, name, ...)
  if has('0.11') then
    return client[name](client, ...)
  end
  return client[name](...)
end

--- Whether a server has registered a method for a buffer after its start. From 0.10 on Neovim keeps track of that.
---@param client table
---@param method string
---@param buf? integer
---@return boolean
function M.lsp_has_registered(client, method, buf)
  return has('0.10') and buf ~= nil and M.lsp_call(client, 'supports_method', method, { bufnr = buf }) or false
end

--- The edits with which a language server formats a buffer; waits for them.
---@param client table
---@param buf integer
---@param timeout_ms integer
---@return table[]
function M.lsp_formatting(client, buf, timeout_ms)
  local params = api.nvim_buf_call(buf, function()
    ---@diagnostic disable-next-line: missing-fields
    return vim.lsp.util.make_formatting_params({})
  end)
  local answer, problem = M.lsp_call(client, 'request_sync', 'textDocument/formatting', params, timeout_ms, buf)
  if not answer or answer.err then
    error(('%s did not format it: %s'):format(client.name, answer and answer.err.message or tostring(problem)), 0)
  end
  return answer.result or {}
end

--- Whether a mapping, or an operator, waits for its next key. 0.7 can't tell.
---@return boolean
function M.is_in_mapping()
  return vim.fn.exists('*state') == 1 and vim.fn.state('m') ~= ''
end

---@param name string
---@return boolean
function M.has_option(name)
  return vim.fn.exists('+' .. name) == 1
end

--- Whether autocommands can wait for it.
---@param name string
---@return boolean
function M.has_event(name)
  return vim.fn.exists('##' .. name) == 1
end

return M
