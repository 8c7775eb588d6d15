-- Tests in Lua of what needs no bridge. Neovim runs this file; packages/bridge/src/editors/neovim/lua.test.ts starts
-- it and reads the results. A test file is called *_test.lua, and calls `test` with a fact and a function.
local M = {}

---@type { file: string, name: string, run: fun() }[]
local tests = {}
local current_file = ''

---@param name string
---@param run fun()
function M.test(name, run)
  tests[#tests + 1] = { file = current_file, name = name, run = run }
end

--- Throws what differs.
---@param got any
---@param expected any
function M.equal(got, expected)
  if not vim.deep_equal(got, expected) then
    error(('expected %s\n     got %s'):format(vim.inspect(expected), vim.inspect(got)), 2)
  end
end

--- Runs the tests of these files, and writes a list of { file, name, problem } as JSON.
---@param folder string
---@param results string
function M.run(folder, results)
  package.path = folder .. '/?.lua;' .. package.path
  package.loaded.harness = M
  for _, path in ipairs(vim.fn.sort(vim.fn.glob(folder .. '/*_test.lua', true, true))) do
    current_file = vim.fn.fnamemodify(path, ':t')
    dofile(path)
  end
  local outcomes = vim.tbl_map(function(each)
    local ok, problem = xpcall(each.run, debug.traceback)
    return { file = each.file, name = each.name, problem = not ok and tostring(problem) or nil }
  end, tests)
  vim.fn.writefile({ vim.fn.json_encode(outcomes) }, results)
end

return M
