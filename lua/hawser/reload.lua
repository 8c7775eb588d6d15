-- Brings a buffer up to date with its file and leaves cursors, folds, marks and undo where they are.
local M = {}

local api = vim.api

local function lines_of(text)
  local lines = vim.split(text, '\n', { plain = true })
  if lines[#lines] == '' then
    lines[#lines] = nil
  end
  return lines
end

--- As Neovim would read it; nil when that needs more than splitting lines.
local function file_lines(buf)
  local encoding = vim.bo[buf].fileencoding
  if encoding ~= '' and encoding ~= 'utf-8' then
    return nil
  end
  local file = io.open(api.nvim_buf_get_name(buf), 'rb')
  if not file then
    return nil
  end
  local text = file:read('*a')
  file:close()
  if #text > 8 * 1024 * 1024 or text:find('%z') then
    return nil
  end
  text = text:gsub('^\239\187\191', '')
  if vim.bo[buf].fileformat == 'dos' then
    text = text:gsub('\r\n', '\n')
  end
  return lines_of(text)
end

--- Changes only the lines that differ, so that everything attached to the others stays.
local function patch(buf)
  local differ = vim.diff or (vim.text and vim.text.diff)
  local new = differ and file_lines(buf)
  if not new then
    return
  end
  local old = api.nvim_buf_get_lines(buf, 0, -1, false)
  local hunks = differ(table.concat(old, '\n') .. '\n', table.concat(new, '\n') .. '\n', { result_type = 'indices' })
  for index = #hunks, 1, -1 do
    local old_start, old_count, new_start, new_count = unpack(hunks[index])
    -- Without lines of its own a hunk is after the line it names.
    local first = old_count == 0 and old_start or old_start - 1
    local from = new_count == 0 and new_start + 1 or new_start
    api.nvim_buf_set_lines(buf, first, first + old_count, false, vim.list_slice(new, from, from + new_count - 1))
  end
end

local function views_of(buf)
  local views = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    views[win] = api.nvim_win_call(win, vim.fn.winsaveview)
  end
  return views
end

--- What the person was told of last, by buffer: a file is often written in more than one step.
local told = {}

--- `reloaded`, or `kept` when the buffer has unsaved text: then the person is told, once.
function M.run(buf)
  local path = api.nvim_buf_get_name(buf)
  if vim.bo[buf].modified then
    local state = vim.fn.getftime(path) .. ' ' .. vim.fn.getfsize(path)
    if told[buf] == state then
      return 'kept'
    end
    told[buf] = state
    local name = vim.fn.fnamemodify(path, ':t')
    -- Short, or Neovim would ask for a key.
    vim.notify(('Hawser: %s changed on disk, unsaved text kept; :e! takes the file'):format(name), vim.log.levels.WARN)
    return 'kept'
  end
  if vim.bo[buf].modifiable and not vim.bo[buf].readonly then
    pcall(patch, buf)
  end
  local views = views_of(buf)
  -- Even where people let Neovim ask them: this one they have agreed to.
  local autocmd = api.nvim_create_autocmd('FileChangedShell', {
    buffer = buf,
    callback = function()
      vim.v.fcs_choice = 'reload'
    end,
  })
  local ok, problem = pcall(vim.cmd, 'silent checktime ' .. buf)
  api.nvim_del_autocmd(autocmd)
  for win, view in pairs(views) do
    if api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == buf then
      api.nvim_win_call(win, function()
        vim.fn.winrestview(view)
      end)
    end
  end
  if not ok then
    error(problem, 0)
  end
  return 'reloaded'
end

return M
