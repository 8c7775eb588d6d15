-- Neovim with the hands of a user, and without a configuration:
--   hawser editor --check -- nvim --headless -u test/nvim/hands.lua
local root = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h:h')
vim.opt.runtimepath:prepend(root)
vim.o.swapfile, vim.o.shadafile, vim.o.formatprg = false, 'NONE', 'tr a-z A-Z'
require('hawser').setup({
  auto_start = false,
  node = 'hawser',
  log_file = vim.fn.tempname(),
  selection = { debounce_ms = 1 },
  diff = { idle = 0, grace = 0 },
})

local actions = require('hawser.diff.actions')
local bridge = require('hawser.bridge')
local diff = require('hawser.diff')
local documents = require('hawser.documents')
local requests = require('hawser.requests')

local api = vim.api
local LOOK_AGAIN_MS = 5

---@param uri string
---@return integer
local function buffer_of(uri)
  return documents.get(documents.path_in(uri))
end

---@param buf integer
---@param text string
local function set_text(buf, text)
  local lines = vim.split(text, '\n', { plain = true })
  vim.bo[buf].endofline = #lines > 1 and lines[#lines] == ''
  if vim.bo[buf].endofline then
    lines[#lines] = nil
  end
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
end

--- Row and byte, from 0. Not by the plugin's own means, so that an error of both directions does not hide.
---@param buf integer
---@param position hawser.Position
---@return integer row
---@return integer byte
local function place_of(buf, position)
  local line = api.nvim_buf_get_lines(buf, position.line, position.line + 1, false)[1] or ''
  ---@diagnostic disable-next-line: param-type-mismatch
  return position.line, vim.str_byteindex(line, position.character, true)
end

--- What the user does when a proposal is shown, by its id.
---@type table<string, table>
local plans = {}

---@param entry hawser.DiffEntry
---@param given table
local function write_note(entry, given)
  local lines = given.lines
  local window = lines and entry.view.windows[lines.side] or entry.view.windows.new
  if lines and not entry.view.windows[lines.side] then
    -- One window shows both sides.
    local place = { text = given.text, side = lines.side, first = lines.first + 1, count = lines.count }
    require('hawser.diff.notes').add(entry, place)
    return
  end
  api.nvim_set_current_win(window)
  local first = lines and lines.first + 1 or 1
  local last = lines and lines.first + lines.count or 1
  actions.note({ text = given.text, whole = not lines, first = first, last = last })
end

---@param id string
---@param plan table
local function act(id, plan)
  local entry = assert(diff.find(id))
  if plan.kind == 'dismissed' then
    api.nvim_win_close(vim.fn.bufwinid(entry.view.pair.new), true)
    return
  end
  for index, mark in ipairs(plan.marks or {}) do
    if mark ~= 'undecided' then
      require('hawser.diff.cursor').go_to_hunk(entry.view, index)
      require('hawser.diff.review').choose_hunk(entry, entry.view, mark)
    end
  end
  for _, note in ipairs(plan.notes or {}) do
    write_note(entry, note)
  end
  if plan.kind == 'changesRequested' then
    actions.ask('', id)
  elseif plan.kind == 'rejected' then
    actions.reject(id)
  else
    if plan.text then
      set_text(entry.view.pair.new, plan.text)
    end
    actions.accept(id)
  end
end

local function act_on_shown()
  local first = diff.pending()[1]
  local plan = first and first.state == 'shown' and plans[first.id]
  if plan then
    plans[first.id] = nil
    act(first.id, plan)
  end
end

---@param id string
---@param plan table
local function plan_for(id, plan)
  plans[id] = plan
  local timer = assert((vim.uv or vim.loop).new_timer())
  timer:start(
    0,
    LOOK_AGAIN_MS,
    vim.schedule_wrap(function()
      act_on_shown()
      if not plans[id] and not timer:is_closing() then
        timer:close()
      end
    end)
  )
end

--- Of a proposal that is on the screen.
---@param id string
---@return hawser.DiffView?
local function view_of(id)
  local entry = diff.find(id)
  return entry and entry.view
end

local hands = {
  ['test/type'] = function(params)
    local buf = buffer_of(params.uri)
    local is_dos = params.text:find('\r\n', 1, true) ~= nil
    vim.bo[buf].fileformat, vim.bo[buf].fixendofline = is_dos and 'dos' or 'unix', false
    set_text(buf, is_dos and params.text:gsub('\r\n', '\n') or params.text)
  end,
  ['test/select'] = function(params)
    local buf = buffer_of(params.uri)
    local row, byte = place_of(buf, params.range.start)
    local end_row, end_byte = place_of(buf, params.range['end'])
    vim.cmd('buffer ' .. buf)
    vim.cmd('normal! \27')
    api.nvim_win_set_cursor(0, { row + 1, byte })
    if row ~= end_row or byte ~= end_byte then
      vim.cmd('normal! v')
      api.nvim_win_set_cursor(0, { end_row + 1, end_byte })
      -- The cursor is on the last character, not after it.
      vim.cmd('normal! h')
    end
  end,
  ['test/mention'] = function(params)
    -- Mentions wait for an agent.
    ---@diagnostic disable-next-line: missing-fields
    bridge.on_status({ name = 'Neovim', agents = { { name = 'an agent', state = 'ready' } }, paused = false })
    local range = params.range
    require('hawser').send(
      documents.path_in(params.uri),
      range and range.start.line + 1,
      range and range['end'].line + 1
    )
  end,
  ['test/folder'] = function(params)
    vim.cmd('cd ' .. vim.fn.fnameescape(params.path))
  end,
  ['test/report'] = function(params)
    local buf, diagnostic = buffer_of(params.uri), params.diagnostic
    local row, byte = place_of(buf, diagnostic.range.start)
    local end_row, end_byte = place_of(buf, diagnostic.range['end'])
    vim.diagnostic.set(api.nvim_create_namespace('test'), buf, {
      {
        lnum = row,
        col = byte,
        end_lnum = end_row,
        end_col = end_byte,
        message = diagnostic.message,
        severity = diagnostic.severity,
      },
    })
  end,
  ['test/format'] = function()
    return { name = 'a.txt', text = 'loud\n', formatted = 'LOUD\n' }
  end,
  ['test/shown'] = function(params)
    return { isShown = view_of(params.id) ~= nil }
  end,
  -- In what is drawn around the texts.
  ['test/says'] = function(params)
    local view = view_of(params.id)
    if not view then
      return { isSaid = false }
    end
    local said = { vim.inspect(view.notices) }
    for _, side in ipairs({ 'old', 'new' }) do
      for _, space in pairs(api.nvim_get_namespaces()) do
        said[#said + 1] = vim.inspect(api.nvim_buf_get_extmarks(view.pair[side], space, 0, -1, { details = true }))
      end
    end
    return { isSaid = table.concat(said):find(params.words, 1, true) ~= nil }
  end,
  ['test/decide'] = function(params)
    plan_for(params.id, params.decision)
  end,
  ['test/dismiss'] = function(params)
    plan_for(params.id, { kind = 'dismissed' })
  end,
}
for name, hand in pairs(hands) do
  requests[name] = hand
end
bridge.test_requests = vim.tbl_keys(hands)

-- The language server of TypeScript, if this folder has it. A file is open when the server knows it.
local server = root .. '/node_modules/.bin/tsc'
if vim.fn.executable(server) == 1 then
  api.nvim_create_autocmd('FileType', {
    pattern = 'typescript',
    callback = function(event)
      local options = { name = 'tsc', cmd = { server, '--lsp', '--stdio' }, root_dir = vim.fn.getcwd() }
      if vim.lsp.start then
        vim.lsp.start(options)
      else
        ---@diagnostic disable-next-line: deprecated
        vim.lsp.buf_attach_client(event.buf, assert(vim.lsp.start_client(options)))
      end
    end,
  })
  local show_document = requests['window/showDocument']
  ---@diagnostic disable-next-line: duplicate-set-field
  requests['window/showDocument'] = function(params)
    local result, path = show_document(params), documents.path_in(params.uri)
    if path:find('%.ts$') then
      vim.wait(30000, function()
        local client = require('hawser.compat').lsp_clients(documents.get(path))[1]
        return client ~= nil and client.initialized
      end, LOOK_AGAIN_MS)
    end
    return result
  end
end

-- By itself the bridge does not start without a screen.
api.nvim_create_autocmd('VimEnter', {
  callback = function()
    require('hawser').start()
  end,
})
