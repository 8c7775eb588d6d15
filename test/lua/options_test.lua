local harness = require('harness')
local options = require('hawser.options')
local test, equal = harness.test, harness.equal

--- What is said about these options.
local function problems(given)
  local _, found = options.read(given)
  table.sort(found)
  return found
end

test('what fits is taken, the rest has its default', function()
  local read, found = options.read({ port = 4005, diff = { layout = 'inline' }, agent = { args = { '--resume' } } })
  equal(found, {})
  equal({ read.port, read.diff.layout, read.diff.idle, read.agent.args, read.agent.command }, {
    4005,
    'inline',
    200,
    { '--resume' },
    'claude',
  })
end)

test('ports and times are whole numbers', function()
  equal(problems({ port = 4005.5 }), { 'port: 4005.5 is not a whole number, 1-65535' })
  equal(problems({ port = 65536, selection = { debounce_ms = 5.5 }, diff = { idle = -1, grace = 0.5 } }), {
    'diff.grace: 0.5 is not a whole number, 0-10000',
    'diff.idle: -1 is not a whole number, 0-60000',
    'port: 65536 is not a whole number, 1-65535',
    'selection.debounce_ms: 5.5 is not a whole number, 0-300',
  })
  equal(problems({ agent = { size = 0.25 } }), {})
end)

test('a mistake names what the option takes, and leaves it at its default', function()
  local read, found = options.read({ diff = { layout = 'round' }, nood = 1, deny = 'x', preset = 'vim' })
  table.sort(found)
  equal(found, {
    'deny: "x" is not a list of strings',
    'diff.layout: "round" is not auto, split, inline, tab or off',
    'preset: "vim" is not claudecode',
    'there is no option nood',
  })
  equal({ read.diff.layout, read.deny }, { 'auto', {} })
end)

test('keys are checked by action', function()
  equal(problems({ diff = { keys = { accept = '<leader>y', reject = false, next_hunk = { ']c', ']h' } } } }), {})
  equal(#problems({ diff = { keys = { approve = 'y' } } }), 1)
  equal(#problems({ diff = { keys = { accept = '' } } }), 1)
end)

test('options are copied: what the caller changes later has no effect', function()
  local given = { deny = { '*.secret' } }
  local read = options.read(given)
  given.deny[1] = 'changed'
  equal(read.deny, { '*.secret' })
end)
