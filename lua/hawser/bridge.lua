-- Starts, watches and ends the bridge, the process that does all the work.
local events = require('hawser.events')
local message = require('hawser.message')
local options = require('hawser.options')
local program = require('hawser.program')

local M = {}

local api = vim.api

local PROTOCOL_VERSION = 1
--- So many lines of stderr are enough to explain what happened.
local MAX_STDERR_LINES = 40

--- An agent that is connected.
---@class hawser.Client
---@field name string
---@field version? string
---@field state 'initializing'|'ready'
---@field kind string The adapter that it came through

--- What an agent needs that is started here.
---@class hawser.Launch
---@field args string[]
---@field environment table<string, string>
---@field install? string The command that installs it
---@field asking? hawser.AskingMode
---@field notice? string What the user should know about the review of its changes

--- The one of an agent's arguments that makes it ask before it changes a file, and when it is left out.
---@class hawser.AskingMode
---@field flag string
---@field unless string[] Arguments of the user that choose another mode
---@field onlyBeforeFlags? boolean Left out if the first argument of the user is no flag

--- Whether the changes of an agent are reviewed.
---@class hawser.Review
---@field kind 'yes'|'no'|'depends'
---@field sentence string
---@field todo? string What the user can do so that they are

--- An agent that is installed or connected.
---@class hawser.AgentReview
---@field name string For display
---@field isConnected boolean
---@field review hawser.Review

--- What the bridge says of itself: `bridge/status` of the editor protocol.
---@class hawser.BridgeStatus
---@field address? string
---@field lock? string
---@field name string
---@field environment table<string, string>
---@field launches table<string, hawser.Launch>
---@field reviews? hawser.AgentReview[]
---@field agents? hawser.Client[]
---@field paused boolean

--- The bridge as it is now.
---@class hawser.BridgeState
---@field phase 'stopped'|'starting'|'running'|'failed'
---@field paused boolean
---@field clients hawser.Client[]
---@field said? hawser.BridgeStatus The last that it said
---@field job? integer
---@field pid? integer
---@field stderr string[] Its last lines
---@field problem? string
---@field is_asked_for? boolean The user waits for it to start
---@field is_stopping? boolean
---@field next_start? { is_asked_for?: boolean } It is started again when it has ended
---@field after_exit fun()[]

---@param before? hawser.BridgeState
---@return hawser.BridgeState
local function stopped(before)
  return {
    phase = 'stopped',
    paused = before ~= nil and before.paused,
    problem = before and before.problem,
    clients = {},
    stderr = { '' },
    after_exit = {},
  }
end

local state = stopped()
--- The first folders of this Neovim: by them the bridge finds its port and token again after a restart.
---@type string[]?
local first_folders
--- What the user asked for before the bridge ran.
---@type fun()?
local when_started

--- Where Claude Code connects.
---@param said? hawser.BridgeStatus
---@return integer?
local function port_of(said)
  return said and said.address and tonumber(said.address:match(':(%d+)')) or nil
end

---@param text string
local function fail(text)
  state.phase = 'failed'
  if state.problem ~= text then
    state.problem = text
    message.say(text, 'WARN')
  end
end

---@param job integer
---@param code integer
local function on_exit(job, code)
  if state.job ~= job then
    return
  end
  local ended = state
  state = stopped(ended)
  require('hawser.channel').detach()
  require('hawser.rpc').close()
  if ended.phase == 'running' then
    events.fire('HawserStopped')
  end
  for _, after in ipairs(ended.after_exit) do
    after()
  end
  if ended.next_start then
    M.start(ended.next_start.is_asked_for)
  elseif not ended.is_stopping then
    state.problem, when_started = nil, nil
    fail(
      ended.phase == 'running' and ('the bridge ended (code %d); :Hawser restart restarts it'):format(code)
        or program.explain_failure(code, table.concat(ended.stderr, '\n'))
    )
  end
  -- Last, because its message says where the user's text is, and the next message would hide it.
  if package.loaded['hawser.diff'] then
    require('hawser.diff').close_all()
  end
end

--- Runs the program. Returns its job, which is not above 0 if it can't be run.
---@param run hawser.BridgeState
---@return integer
local function run_program(run)
  pcall(vim.fn.mkdir, vim.fn.fnamemodify(program.log_file(), ':h'), 'p')
  return vim.fn.jobstart(program.command(), {
    rpc = true,
    on_stderr = function(_, lines)
      -- The first of them goes on where the last one ended.
      run.stderr[#run.stderr] = run.stderr[#run.stderr] .. lines[1]
      vim.list_extend(run.stderr, lines, 2)
      run.stderr = vim.list_slice(run.stderr, math.max(1, #run.stderr - MAX_STDERR_LINES))
    end,
    on_exit = on_exit,
  })
end

--- Starts the bridge, unless it runs; if it is about to end, then after that.
---@param is_asked_for? boolean The user waits for it, so success is confirmed
function M.start(is_asked_for)
  if is_asked_for then
    -- The user asks again, so the same problem is reported again.
    state.problem = nil
  end
  if state.is_stopping then
    state.next_start = { is_asked_for = is_asked_for }
    return
  end
  if state.job then
    if is_asked_for then
      message.say('the bridge runs already' .. (state.said and (' on port %s'):format(port_of(state.said)) or ''))
    end
    return
  end
  local obstacle = program.obstacle()
  if obstacle then
    fail(obstacle)
    return
  end
  state = stopped(state)
  state.phase, state.is_asked_for = 'starting', is_asked_for
  local job = run_program(state)
  if job <= 0 then
    fail(('%s cannot be run'):format(options.current().node))
    return
  end
  state.job = job
  local knows_pid, pid = pcall(vim.fn.jobpid, job)
  state.pid = knows_pid and pid or nil
  M.connect(job)
end

--- Calls `action` once the bridge runs, and starts it if need be. If it can't start, a message says why.
---@param action fun()
function M.when_running(action)
  if state.phase == 'running' and not state.is_stopping then
    action()
    return
  end
  state.problem = nil
  M.start()
  when_started = state.job and action or nil
end

--- Ends the bridge, and calls `after` when it has ended.
---@param after? fun()
function M.stop(after)
  when_started, state.next_start = nil, nil
  if not state.job then
    if after then
      after()
    end
    return
  end
  state.after_exit[#state.after_exit + 1] = after
  if not state.is_stopping then
    state.is_stopping = true
    vim.fn.jobstop(state.job)
  end
end

---@param is_asked_for? boolean
function M.restart(is_asked_for)
  M.stop()
  M.start(is_asked_for)
end

---@return hawser.Client[]
function M.ready_clients()
  return vim.tbl_filter(function(client)
    return client.state == 'ready'
  end, state.clients)
end

--- What `require('hawser').status()` returns; |hawser.status()| describes it.
---@class hawser.Status
---@field phase 'stopped'|'starting'|'running'|'failed'
---@field connection 'waiting'|'initializing'|'ready'
---@field port? integer
---@field address? string
---@field lock? string
---@field name? string
---@field environment? table<string, string>
---@field launches? table<string, hawser.Launch>
---@field agents? hawser.AgentReview[]
---@field clients hawser.Client[]
---@field paused boolean
---@field problem? string
---@field diffs integer
---@field layout string
---@field pid? integer

---@return hawser.Status
function M.status()
  local said = state.said or {}
  return {
    phase = state.phase,
    port = port_of(said),
    environment = said.environment,
    launches = said.launches,
    agents = said.reviews,
    address = said.address,
    lock = said.lock,
    name = said.name,
    clients = vim.deepcopy(state.clients),
    connection = #M.ready_clients() > 0 and 'ready' or (#state.clients > 0 and 'initializing' or 'waiting'),
    paused = state.paused,
    problem = state.phase == 'failed' and state.problem or nil,
    diffs = package.loaded['hawser.diff'] and #require('hawser.diff').pending() or 0,
    layout = options.current().diff.layout,
    pid = state.pid,
  }
end

---@param paused boolean
function M.set_paused(paused)
  state.paused = paused
  require('hawser.rpc').notify('editor/pause', { paused = paused })
end

---@return table
local function capabilities()
  local given = options.current()
  return {
    showDocument = true,
    documents = true,
    save = true,
    close = true,
    diagnostics = true,
    proposals = given.diff.layout ~= 'off'
        and { effects = { 'edit', 'delete', 'command', 'noticed', 'noticedDelete' }, rounds = true }
      or nil,
    writeText = true,
    format = true,
    reload = given.reload,
    language = require('hawser.requests').language_methods,
    test = M.test_requests,
  }
end

--- The requests of tests, which a file that is not shipped adds to hawser.requests.
---@type string[]?
M.test_requests = nil

--- Introduces this Neovim to the bridge on a channel. Once that has answered it is sent what happens.
---@param id integer
function M.connect(id)
  local channel, rpc = require('hawser.channel'), require('hawser.rpc')
  first_folders = first_folders or require('hawser.folders').base()
  require('hawser.stamps').watch()
  require('hawser.diff.ready').watch_keys()
  rpc.open(id)
  local folders, version = channel.workspace_folders(first_folders), vim.version()
  rpc.request('initialize', {
    protocolVersion = PROTOCOL_VERSION,
    processId = vim.fn.getpid(),
    clientInfo = { name = 'Neovim', version = ('%d.%d.%d'):format(version.major, version.minor, version.patch) },
    workspaceFolders = folders,
    capabilities = capabilities(),
  }, function(problem)
    if problem then
      message.say(problem.message, 'ERROR')
      M.stop()
      return
    end
    -- Before `initialized`, so that the first agent sees what is the case.
    rpc.notify('editor/pause', { paused = state.paused })
    channel.attach(folders)
    rpc.notify('initialized')
  end)
end

--- For the first status of a bridge.
---@param status hawser.BridgeStatus
local function announce(status)
  events.fire('HawserStarted', { port = port_of(status), address = status.address })
  if state.is_asked_for then
    message.say(('the bridge runs on port %s'):format(port_of(status)))
  end
  if status.name ~= 'Neovim' then
    message.say(('agents see this as %s; :help hawser-several'):format(status.name))
  end
end

--- The bridge sends its state.
---@param status hawser.BridgeStatus
function M.on_status(status)
  local was_running, before = state.phase == 'running', state.clients
  state.phase, state.problem, state.said = 'running', nil, status
  state.clients = status.agents or {}
  -- `hawser pause` and `hawser resume` change it, too.
  state.paused = status.paused
  if not was_running then
    announce(status)
  end
  events.fire_client_changes(before, state.clients)
  if when_started and not state.is_stopping then
    local ok, problem = pcall(when_started)
    when_started = nil
    if not ok then
      message.say(tostring(problem), 'ERROR')
    end
  end
  if #M.ready_clients() > 0 then
    require('hawser.mention').on_ready()
  end
  pcall(api.nvim_command, 'redrawstatus!')
end

api.nvim_create_autocmd('VimLeavePre', {
  group = api.nvim_create_augroup('HawserBridge', { clear = true }),
  callback = function()
    state.is_stopping = true
  end,
})

return M
