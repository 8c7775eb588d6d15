-- The bridge is a process of its own, which does all the work; here it is started, watched and ended.
local message = require('hawser.message')

local M = {}

local api = vim.api

local OLDEST_NODE = { 20, 19 }

local state = { phase = 'stopped', clients = {}, paused = false }
--- The first folders of this Neovim: by them the bridge finds its port and token again after a restart.
local first_folders
local options

--- The folder that this plugin is in.
function M.root()
  local source = debug.getinfo(1, 'S').source:gsub('^@', '')
  local path = (vim.uv or vim.loop).fs_realpath(source) or source
  return vim.fn.fnamemodify(path, ':h:h:h')
end

function M.program()
  return M.root() .. '/packages/bridge/dist/main.cjs'
end

function M.log_file()
  if options and options.log_file then
    return vim.fn.fnamemodify(vim.fn.expand(options.log_file), ':p')
  end
  local ok, folder = pcall(vim.fn.stdpath, 'log')
  return (ok and folder or vim.fn.stdpath('cache')) .. '/hawser.log'
end

function M.options()
  options = options or (require('hawser.options').read(nil))
  return options
end

function M.set_options(given)
  options = given
end

--- Why a version of Node can't be used, from its answer to `--version`; nil when it can.
function M.node_problem(answer)
  local major, minor = answer:match('^v(%d+)%.(%d+)')
  if not major then
    return ('%s --version answers %s'):format(M.options().node, vim.inspect(vim.trim(answer)))
  end
  major, minor = tonumber(major), tonumber(minor)
  if major > OLDEST_NODE[1] or (major == OLDEST_NODE[1] and minor >= OLDEST_NODE[2]) then
    return nil
  end
  return ('Node %d.%d or newer is needed, this is %s: %s'):format(
    OLDEST_NODE[1],
    OLDEST_NODE[2],
    vim.trim(answer),
    M.options().node
  )
end

--- What keeps the bridge from being started, as far as it can be seen without starting anything.
function M.obstacle()
  if vim.fn.executable(M.options().node) == 0 then
    return ('%s was not found; Node %d.%d or newer is needed'):format(M.options().node, OLDEST_NODE[1], OLDEST_NODE[2])
  end
  if vim.fn.filereadable(M.program()) == 0 then
    return ('not built: run `npm run build` in %s'):format(vim.fn.fnamemodify(M.root(), ':~'))
  end
end

--- For the shell that the bridge gives it to, which is not the one in 'shell'.
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

local function command()
  local given = M.options()
  local words = { given.node, M.program(), 'serve', '--editor', 'neovim', '--log-file', M.log_file() }
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
  if given.execute_code then
    words[#words + 1] = '--execute-code=' .. shell_line(given.execute_code)
  end
  return words
end

local function fail(text)
  state.phase = 'failed'
  if state.problem ~= text then
    state.problem = text
    message.say(text, 'WARN')
  end
end

--- The user asks again, so the same problem is reported again.
function M.forget_problem()
  state.problem = nil
end

--- Why a bridge ended that was not stopped.
local function explain_exit(code, said, had_started)
  if not had_started then
    local answer = vim.fn.system({ M.options().node, '--version' })
    local problem = M.node_problem(answer)
    if problem then
      return problem
    end
    local lines = '\n' .. vim.trim(said)
    local reason = lines:match('\nhawser: ([^\n]*)') or lines:match('\nerror: ([^\n]*)') or lines:match('[^\n]*$')
    return ('could not start: %s'):format(reason ~= '' and reason or ('exit code %d'):format(code))
  end
  return ('the bridge ended (code %d); :HawserRestart restarts it'):format(code)
end

local function on_exit(job, code)
  if state.job ~= job then
    return
  end
  local had_started, next_step, is_wanted = state.phase == 'running', state.after_exit, state.is_stopping
  require('hawser.channel').detach()
  state = { phase = 'stopped', clients = {}, paused = state.paused, problem = state.problem, said = state.said }
  if had_started then
    require('hawser.events').fire('ClaudeCodeServerStopped')
  end
  if next_step then
    next_step()
  elseif not is_wanted then
    state.problem = nil
    fail(explain_exit(code, state.said or '', had_started))
  end
  -- Last, because its message says where the user's text is, and the next message would hide it.
  if package.loaded['hawser.diff'] then
    require('hawser.diff').close_all()
  end
end

--- Starts the bridge, unless it runs. `is_asked_for`: the user waits for it, so success is confirmed.
function M.start(is_asked_for)
  if state.job then
    if is_asked_for then
      message.say('the bridge runs already' .. (state.port and (' on port %s'):format(state.port) or ''))
    end
    return
  end
  local obstacle = M.obstacle()
  if obstacle then
    fail(obstacle)
    return
  end
  local said = {}
  state = {
    phase = 'starting',
    clients = {},
    paused = state.paused,
    problem = state.problem,
    is_asked_for = is_asked_for,
  }
  pcall(vim.fn.mkdir, vim.fn.fnamemodify(M.log_file(), ':h'), 'p')
  local job = vim.fn.jobstart(command(), {
    rpc = true,
    on_stderr = function(_, lines)
      vim.list_extend(said, lines)
      -- The last lines are enough to explain what happened.
      said = vim.list_slice(said, math.max(1, #said - 40))
      state.said = table.concat(said, '\n')
    end,
    on_exit = on_exit,
  })
  if job <= 0 then
    fail(('%s cannot be run'):format(M.options().node))
    return
  end
  state.job = job
  local knows_pid, pid = pcall(vim.fn.jobpid, job)
  state.pid = knows_pid and pid or nil
end

--- Ends the bridge, and calls `after` when it has ended.
function M.stop(after)
  if not state.job then
    if after then
      after()
    end
    return
  end
  state.is_stopping = true
  state.after_exit = after
  vim.fn.jobstop(state.job)
end

function M.restart(is_asked_for)
  M.stop(function()
    M.start(is_asked_for)
  end)
end

function M.status()
  local given = M.options()
  local ready = vim.tbl_filter(function(client)
    return client.state == 'ready'
  end, state.clients)
  return {
    phase = state.phase,
    port = state.port,
    environment = state.environment,
    launches = state.launches,
    address = state.address,
    lock = state.lock,
    name = state.name,
    clients = vim.deepcopy(state.clients),
    connection = #ready > 0 and 'ready' or (#state.clients > 0 and 'initializing' or 'waiting'),
    paused = state.paused,
    problem = state.phase == 'failed' and state.problem or nil,
    diffs = package.loaded['hawser.diff'] and require('hawser.diff').count() or 0,
    layout = given.diff.layout,
    pid = state.pid,
  }
end

function M.set_paused(paused)
  state.paused = paused
  require('hawser.channel').notify('pause', paused)
end

--- The bridge has found its channel: from now on it is sent what happens. Returns the state at first.
function M.on_attach(id)
  local folders = require('hawser.folders')
  first_folders = first_folders or folders.base()
  require('hawser.stamps').watch()
  require('hawser.diff.ready').watch_keys()
  local given = M.options()
  local found = require('hawser.channel').attach(id, {
    debounce_ms = given.selection.debounce_ms,
    sends_selection = given.track_selection,
    folders = first_folders,
    language_servers = given.language_server_folders,
  })
  found.layout = given.diff.layout
  found.reload = given.reload
  found.paused = state.paused
  found.pid = vim.fn.getpid()
  return found
end

--- How many of each kind of agent are ready.
local function ready_in(clients)
  local counts, infos = {}, {}
  for _, client in ipairs(clients) do
    if client.state == 'ready' then
      local key = client.name .. ' ' .. (client.version or '')
      counts[key] = (counts[key] or 0) + 1
      infos[key] = { name = client.name, version = client.version }
    end
  end
  return counts, infos
end

local function fire_client_events(before, now)
  local old, old_infos = ready_in(before)
  local new, new_infos = ready_in(now)
  local function fire(event, more, fewer, infos)
    for key, count in pairs(more) do
      for _ = (fewer[key] or 0) + 1, count do
        require('hawser.events').fire(event, { clientInfo = infos[key] })
      end
    end
  end
  fire('ClaudeCodeClientConnected', new, old, new_infos)
  fire('ClaudeCodeClientDisconnected', old, new, old_infos)
end

--- The bridge sends its state.
function M.on_status(status)
  local was_running = state.phase == 'running'
  local before = state.clients
  state.phase, state.problem = 'running', nil
  state.port, state.address, state.lock, state.name = status.port, status.address, status.lock, status.name
  state.clients, state.environment, state.launches = status.clients or {}, status.environment, status.launches
  -- `hawser pause` and `hawser resume` change it, too.
  state.paused = status.paused
  if not was_running then
    require('hawser.events').fire('ClaudeCodeServerStarted', { port = status.port })
    if state.is_asked_for then
      message.say(('the bridge runs on port %s'):format(status.port))
    end
    if status.shares_project then
      message.say(('agents see this as %s; :help hawser-several'):format(status.name))
    end
  end
  fire_client_events(before, state.clients)
  if M.status().connection == 'ready' then
    require('hawser.mention').on_ready()
  end
  pcall(vim.cmd, 'redrawstatus!')
end

api.nvim_create_autocmd('VimLeavePre', {
  group = api.nvim_create_augroup('HawserBridge', { clear = true }),
  callback = function()
    state.is_stopping = true
  end,
})

return M
