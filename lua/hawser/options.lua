-- What `setup` takes, and what is said when it is given something else.
local M = {}

--- The defaults. A table here means that the option is a table with these members.
M.defaults = {
  auto_start = true,
  node = 'node',
  agents = nil,
  port = nil,
  deny = {},
  execute_code = nil,
  log_file = nil,
  log_level = 'info',
  preset = nil,
  language_server_folders = 'project',
  track_selection = true,
  focus_after_send = false,
  selection = { debounce_ms = 50 },
  diff = { layout = 'split', keys = {}, accept_on_write = false, idle = 200, grace = 600 },
  reload = true,
  agent = {
    command = 'claude',
    args = {},
    position = 'right',
    size = 0.4,
    cwd = nil,
    env = {},
    provider = nil,
  },
}

local function one_of(...)
  local allowed = { ... }
  return function(value)
    return vim.tbl_contains(allowed, value), 'one of ' .. table.concat(allowed, ', ')
  end
end

local function is(kind)
  return function(value)
    return type(value) == kind, 'a ' .. kind
  end
end

local function number_between(least, most)
  return function(value)
    local fits = type(value) == 'number' and value >= least and value <= most
    return fits, ('a number from %s to %s'):format(least, most)
  end
end

local function strings(value)
  local fits = type(value) == 'table'
  for key, item in pairs(fits and value or {}) do
    fits = fits and type(key) == 'number' and type(item) == 'string'
  end
  return fits, 'a list of strings'
end

local function text(value)
  return type(value) == 'string' and value ~= '', 'a text'
end

local function command(value)
  if type(value) == 'string' then
    return text(value)
  end
  local fits = strings(value)
  return fits and #value > 0, 'a text or a list of strings'
end

local function texts_by_name(value)
  local fits = type(value) == 'table'
  for key, item in pairs(fits and value or {}) do
    fits = fits and type(key) == 'string' and type(item) == 'string'
  end
  return fits, 'a table of texts by name'
end

local function provider(value)
  local fits = type(value) == 'function' or (type(value) == 'table' and #value > 0 and strings(value))
  return fits, 'a function, or the words of a command that runs another in a terminal'
end

local function diff_keys(value)
  local problem = require('hawser.diff.keys').problem(value)
  return problem == nil, 'keys by action: ' .. (problem or '')
end

local RULES = {
  auto_start = is('boolean'),
  node = text,
  agents = strings,
  port = number_between(1, 65535),
  deny = strings,
  execute_code = command,
  log_file = text,
  reload = is('boolean'),
  log_level = one_of('info', 'error'),
  preset = one_of('claudecode'),
  language_server_folders = one_of('project', 'all', 'none'),
  track_selection = is('boolean'),
  focus_after_send = is('boolean'),
  selection = { debounce_ms = number_between(0, 300) },
  diff = {
    layout = one_of('split', 'tab', 'inline', 'off'),
    keys = diff_keys,
    accept_on_write = is('boolean'),
    idle = number_between(0, 60000),
    grace = number_between(0, 10000),
  },
  agent = {
    command = command,
    args = strings,
    position = one_of('left', 'right', 'top', 'bottom', 'tab', 'float'),
    size = number_between(0.1, 0.9),
    cwd = text,
    env = texts_by_name,
    provider = provider,
  },
}

--- A value as a message shows it.
local function shown(value)
  return (vim.inspect(value):gsub('%s+', ' '))
end

--- Takes what fits; what does not is left at its default and gets a sentence in `problems`.
local function merge(given, defaults, rules, prefix, problems)
  local merged = vim.deepcopy(defaults)
  for name, value in pairs(given) do
    local rule = rules[name]
    local full = prefix .. tostring(name)
    if rule == nil then
      problems[#problems + 1] = ('there is no option %s'):format(full)
    elseif type(rule) == 'table' then
      if type(value) == 'table' then
        merged[name] = merge(value, defaults[name], rule, full .. '.', problems)
      else
        problems[#problems + 1] = ('%s: %s is not a table'):format(full, shown(value))
      end
    else
      local fits, wanted = rule(value)
      if fits then
        merged[name] = vim.deepcopy(value)
      else
        problems[#problems + 1] = ('%s: %s is not %s'):format(full, shown(value), wanted)
      end
    end
  end
  return merged
end

--- The options, and a list of what was wrong with those given.
function M.read(given)
  if given ~= nil and type(given) ~= 'table' then
    return vim.deepcopy(M.defaults), { 'setup takes a table, not ' .. shown(given) }
  end
  local problems = {}
  return merge(given or {}, M.defaults, RULES, '', problems), problems
end

return M
