local commands = require('hawser.commands')
local harness = require('harness')
local test, equal = harness.test, harness.equal

--- What is offered after this line.
local function completed(line)
  return commands.complete(line:match('%S*$'), line, #line)
end

test(':Hawser completes its subcommands', function()
  equal(completed('Hawser st'), { 'start', 'status', 'stop' })
  equal(completed("'<,'>Hawser se"), { 'send' })
  equal(completed('Hawser! ag'), { 'agent' })
  equal(completed('Hawser nothing'), {})
  equal(#completed('Hawser '), 21)
end)

test(':Hawser send completes files, with spaces escaped', function()
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder)
  vim.fn.writefile({}, folder .. '/my file.txt')
  equal(completed('Hawser send ' .. folder .. '/m'), { (folder:gsub('\\', '\\\\')) .. '/my\\ file.txt' })
  equal(completed('Hawser accept '), {})
end)

test('every subcommand has a command and a <Plug> mapping', function()
  local defined = vim.api.nvim_get_commands({})
  for _, name in ipairs(completed('Hawser ')) do
    local alias = 'Hawser' .. ('-' .. name):gsub('-(%l)', string.upper)
    if name ~= 'status' then
      equal({ alias, defined[alias] ~= nil }, { alias, true })
      equal(vim.fn.maparg(('<Plug>(hawser-%s)'):format(name), 'n') ~= '', true)
    end
  end
  equal(vim.fn.maparg('<Plug>(hawser-send)', 'x') ~= '', true)
end)
