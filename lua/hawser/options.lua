-- What `setup` takes, and what is said when it is given something else.
local M = {}

---@class hawser.DiffOptions
---@field layout 'auto'|'split'|'inline'|'tab'|'off' How a proposal is shown; 'auto' decides by the room there is
---@field keys table<hawser.DiffAction, string|string[]|false> Keys by action, in place of the defaults
---@field accept_on_write boolean `:w` in a proposal accepts it
---@field idle integer Milliseconds without a key before a proposal appears
---@field grace integer Milliseconds after that in which keys neither decide nor edit

---@class hawser.AgentOptions
---@field command string|string[] What `:Hawser agent` runs
---@field args string[]
---@field position 'left'|'right'|'top'|'bottom'|'tab'|'float'
---@field size number The part of the screen that its terminal takes
---@field cwd? string
---@field env table<string, string>
---@field provider? string[]|fun(command: string[], settings: { env: table<string, string>, cwd: string }) Runs it

---@class hawser.Options
---@field auto_start boolean
---@field node string
---@field agents? string[]
---@field port? integer
---@field deny string[]
---@field noticing boolean Changes that agents make without asking are shown
---@field execute_code? string|string[]
---@field log_file? string
---@field log_level 'info'|'error'
---@field preset? 'claudecode'
---@field language_server_folders 'project'|'all'|'none'
---@field track_selection boolean
---@field focus_after_send boolean
---@field selection { debounce_ms: integer }
---@field diff hawser.DiffOptions
---@field reload boolean
---@field agent hawser.AgentOptions

--- Whether a value fits an option, and what would, in words that follow "is not".
---@alias hawser.OptionRule fun(value: any): boolean, string

---@param ... string
---@return hawser.OptionRule
local function one_of(...)
  local allowed = { ... }
  return function(value)
    local others = table.concat(allowed, ', ', 1, #allowed - 1)
    return vim.tbl_contains(allowed, value), (others == '' and '' or others .. ' or ') .. allowed[#allowed]
  end
end

---@param kind type
---@return hawser.OptionRule
local function is(kind)
  return function(value)
    return type(value) == kind, 'a ' .. kind
  end
end

---@param least number
---@param most number
---@return hawser.OptionRule
local function number_between(least, most)
  return function(value)
    local fits = type(value) == 'number' and value >= least and value <= most
    return fits, ('a number, %s-%s'):format(least, most)
  end
end

---@param least integer
---@param most integer
---@return hawser.OptionRule
local function whole_between(least, most)
  local is_between = number_between(least, most)
  return function(value)
    return is_between(value) and value % 1 == 0, ('a whole number, %d-%d'):format(least, most)
  end
end

---@param key_type type
---@param words string
---@return hawser.OptionRule
local function strings_by(key_type, words)
  return function(value)
    local fits = type(value) == 'table'
    for key, item in pairs(fits and value or {}) do
      fits = fits and type(key) == key_type and type(item) == 'string'
    end
    return fits, words
  end
end

local strings = strings_by('number', 'a list of strings')

---@type hawser.OptionRule
local function text(value)
  return type(value) == 'string' and value ~= '', 'a text'
end

---@type hawser.OptionRule
local function command(value)
  if type(value) == 'string' then
    return text(value)
  end
  local fits = strings(value)
  return fits and #value > 0, 'a text or a list of strings'
end

---@type hawser.OptionRule
local function provider(value)
  local fits = type(value) == 'function' or (type(value) == 'table' and #value > 0 and (strings(value)))
  return fits, 'a function, or the words of a command that runs another in a terminal'
end

---@type hawser.OptionRule
local function diff_keys(value)
  local problem = require('hawser.diff.keys').problem(value)
  return problem == nil, 'keys by action: ' .. (problem or '')
end

--- What an option may be, and what it is without `setup`. A table of options is an option, too.
---@alias hawser.OptionSpec { [1]: hawser.OptionRule, [2]?: any }
---@type table<string, hawser.OptionSpec|table<string, hawser.OptionSpec>>
local OPTIONS = {
  auto_start = { is('boolean'), true },
  node = { text, 'node' },
  agents = { strings },
  port = { whole_between(1, 65535) },
  deny = { strings, {} },
  noticing = { is('boolean'), true },
  execute_code = { command },
  log_file = { text },
  log_level = { one_of('info', 'error'), 'info' },
  preset = { one_of('claudecode') },
  language_server_folders = { one_of('project', 'all', 'none'), 'project' },
  track_selection = { is('boolean'), true },
  focus_after_send = { is('boolean'), false },
  selection = { debounce_ms = { whole_between(0, 300), 50 } },
  diff = {
    layout = { one_of('auto', 'split', 'inline', 'tab', 'off'), 'auto' },
    keys = { diff_keys, {} },
    accept_on_write = { is('boolean'), false },
    idle = { whole_between(0, 60000), 200 },
    grace = { whole_between(0, 10000), 600 },
  },
  reload = { is('boolean'), true },
  agent = {
    command = { command, 'claude' },
    args = { strings, {} },
    position = { one_of('left', 'right', 'top', 'bottom', 'tab', 'float'), 'right' },
    size = { number_between(0.1, 0.9), 0.4 },
    cwd = { text },
    env = { strings_by('string', 'a table of texts by name'), {} },
    provider = { provider },
  },
}

--- A value as a message shows it.
---@param value any
---@return string
local function shown(value)
  return (vim.inspect(value):gsub('%s+', ' '))
end

--- Takes what fits; what does not is left at its default and gets a sentence in `problems`.
---@param given table
---@param specs table
---@param prefix string
---@param problems string[]
---@return table
local function merge(given, specs, prefix, problems)
  local merged = {}
  for name, spec in pairs(specs) do
    local value, full = given[name], prefix .. name
    if not spec[1] then
      if value ~= nil and type(value) ~= 'table' then
        problems[#problems + 1] = ('%s: %s is not a table'):format(full, shown(value))
      end
      merged[name] = merge(type(value) == 'table' and value or {}, spec, full .. '.', problems)
    else
      local fits, wanted = spec[1](value)
      if not fits and value ~= nil then
        problems[#problems + 1] = ('%s: %s is not %s'):format(full, shown(value), wanted)
      end
      if not fits then
        value = spec[2]
      end
      merged[name] = vim.deepcopy(value)
    end
  end
  for name in pairs(given) do
    if specs[name] == nil then
      problems[#problems + 1] = ('there is no option %s%s'):format(prefix, name)
    end
  end
  return merged
end

--- The options, and a list of what was wrong with those given.
---@param given any
---@return hawser.Options
---@return string[] problems
function M.read(given)
  if given ~= nil and type(given) ~= 'table' then
    return merge({}, OPTIONS, '', {}), { 'setup takes a table, not ' .. shown(given) }
  end
  local problems = {}
  return merge(given or {}, OPTIONS, '', problems), problems
end

---@type hawser.Options?
local current

--- The options of this Neovim: those of the last `setup`, or the defaults.
---@return hawser.Options
function M.current()
  current = current or (M.read(nil))
  return current
end

---@param options hawser.Options
function M.use(options)
  current = options
end

return M
