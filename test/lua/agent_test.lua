local harness = require('harness')
local agent = require('hawser.agent')
local test, equal = harness.test, harness.equal

local OPTIONS = { command = 'claude', args = { '--verbose' } }
local LAUNCHES = {
  claude = {
    args = { '--ide', '--permission-mode=default' },
    environment = {},
    asking = { flag = '--permission-mode=default', unless = { '--skip' }, onlyBeforeFlags = true },
    notice = 'it asks first',
  },
  codex = { args = {}, environment = { HOME_OF_CODEX = '/c' }, notice = 'not reviewed' },
}

local function command(words, options)
  return { agent.command(words, options or OPTIONS, LAUNCHES) }
end

test('the configured agent gets its arguments, those of the bridge, and the flags that follow', function()
  equal(command({}), { { 'claude', '--ide', '--permission-mode=default', '--verbose' }, 'it asks first' })
  equal(command({ '--resume' })[1], { 'claude', '--ide', '--permission-mode=default', '--verbose', '--resume' })
  equal(command({ '--ide' }), { { 'claude', '--permission-mode=default', '--verbose', '--ide' }, 'it asks first' })
end)

test('a user who chooses the mode gets that, and nothing is said of it', function()
  equal(command({ '--permission-mode', 'plan' }), { { 'claude', '--ide', '--verbose', '--permission-mode', 'plan' } })
  equal(command({ '--permission-mode=plan' }), { { 'claude', '--ide', '--verbose', '--permission-mode=plan' } })
  equal(command({ '--skip' }), { { 'claude', '--ide', '--verbose', '--skip' } })
  equal(command({ 'claude', 'mcp', 'list' }), { { 'claude', '--ide', 'mcp', 'list' } })
end)

test('other words are another command, known by its name wherever it is', function()
  equal(command({ 'codex', 'resume' }), { { 'codex', 'resume' }, 'not reviewed' })
  equal(command({ '/opt/bin/claude' })[1], { '/opt/bin/claude', '--ide', '--permission-mode=default' })
  equal(command({ 'unknown' }), { { 'unknown' } })
end)

test('a command can be a list', function()
  local wrapped = { command = { 'nice', 'claude' }, args = {} }
  equal(command({ '-c' }, wrapped), { { 'nice', 'claude', '-c' } })
end)

test('the environment has what the bridge, the agent and the user say, and no proxy for loopback', function()
  local status = { launches = LAUNCHES, environment = { PORT = '1', HOME_OF_CODEX = 'x' } }
  vim.env.NO_PROXY = 'example.org, localhost'
  local found = agent.environment({ 'codex' }, status, { PORT = '2' })
  equal(found, {
    PORT = '2',
    HOME_OF_CODEX = '/c',
    NO_PROXY = 'example.org,localhost,127.0.0.1,::1',
    no_proxy = 'example.org,localhost,127.0.0.1,::1',
  })
  vim.env.NO_PROXY = nil
end)
