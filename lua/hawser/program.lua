-- The program that is the bridge: where it is, what it needs, and the words that start it.
local compat = require('hawser.compat')
local options = require('hawser.options')

local M = {}

local OLDEST_NODE = { 20, 19 }

--- The folder that this plugin is in.
---@return string
function M.root()
  local source = debug.getinfo(1, 'S').source:gsub('^@', '')
  local path = compat.uv.fs_realpath(source) or source
  return vim.fn.fnamemodify(path, ':h:h:h')
end

---@return string
function M.path()
  return M.root() .. '/packages/bridge/dist/main.cjs'
end

---@return string
function M.log_file()
  local file = options.current().log_file
  if file then
    return vim.fn.fnamemodify(vim.fn.expand(file) --[[@as string]], ':p')
  end
  return compat.log_folder() .. '/hawser.log'
end

--- Why a version of Node can't be used, from its answer to `--version`; nil when it can.
---@param answer string
---@return string?
function M.node_problem(answer)
  local node = options.current().node
  local major, minor = answer:match('^v(%d+)%.(%d+)')
  if not major then
    return ('%s --version answers %s'):format(node, vim.inspect(vim.trim(answer)))
  end
  major, minor = tonumber(major), tonumber(minor)
  if major > OLDEST_NODE[1] or (major == OLDEST_NODE[1] and minor >= OLDEST_NODE[2]) then
    return nil
  end
  local needed = 'Node %d.%d or newer is needed, this is %s: %s'
  return needed:format(OLDEST_NODE[1], OLDEST_NODE[2], vim.trim(answer), node)
end

--- What keeps the bridge from being started, as far as it can be seen without starting anything.
---@return string?
function M.obstacle()
  local node = options.current().node
  if vim.fn.executable(node) == 0 then
    return ('%s was not found; Node %d.%d or newer is needed'):format(node, OLDEST_NODE[1], OLDEST_NODE[2])
  end
  if vim.fn.filereadable(M.path()) == 0 then
    return ('not built: run `npm run build` in %s'):format(vim.fn.fnamemodify(M.root(), ':~'))
  end
end

--- For the shell that the bridge gives it to, which is not the one in 'shell'.
---@param words string|string[]
---@return string
local function shell_line(words)
  if type(words) == 'string' then
    return words
  end
  return table.concat(
    vim.tbl_map(function(word)
      return "'" .. word:gsub("'", [['\'']]) .. "'"
    end, words),
    ' '
  )
end

---@return string[]
function M.command()
  local given = options.current()
  local words = { given.node, M.path(), 'serve', '--editor', 'neovim', '--log-file', M.log_file() }
  vim.list_extend(words, { '--log-level', given.log_level })
  if given.agents then
    vim.list_extend(words, { '--agents', table.concat(given.agents, ',') })
  end
  if given.port then
    vim.list_extend(words, { '--port', tostring(given.port) })
  end
  for _, glob in ipairs(given.deny) do
    -- One word, because a pattern may begin with a dash.
    words[#words + 1] = '--deny=' .. glob
  end
  if not given.noticing then
    vim.list_extend(words, { '--noticing', 'off' })
  end
  if given.execute_code then
    words[#words + 1] = '--execute-code=' .. shell_line(given.execute_code)
  end
  return words
end

--- Why the program ended before it served, from what it wrote to stderr.
---@param code integer
---@param stderr string
---@return string
function M.explain_failure(code, stderr)
  local problem = M.node_problem(vim.fn.system({ options.current().node, '--version' }))
  if problem then
    return problem
  end
  local lines = '\n' .. vim.trim(stderr)
  local reason = lines:match('\nhawser: ([^\n]*)') or lines:match('\nerror: ([^\n]*)') or lines:match('[^\n]*$')
  return ('could not start: %s'):format(reason ~= '' and reason or ('exit code %d'):format(code))
end

return M
