-- Joins the bridge's proposals and the diff views: which file each is about, and who hears of the decision.
local M = {}

--- Paths of the proposals that are shown, by id.
local paths = {}

--- The options that the views were given last.
local given

local function diff()
  local views = require('hawser.diff')
  local options = require('hawser.bridge').options().diff
  if given ~= options then
    given = options
    local own = vim.deepcopy(options)
    -- Where there are no views, nothing is shown.
    own.layout = own.layout ~= 'off' and own.layout or nil
    views.setup(own)
  end
  return views
end

local function on_decision(id, decision)
  local path = paths[id]
  if not path then
    return
  end
  paths[id] = nil
  require('hawser.channel').notify('decision', id, decision)
  local is_accepted = decision.kind == 'accepted'
  require('hawser.events').fire(is_accepted and 'ClaudeCodeDiffAccepted' or 'ClaudeCodeDiffRejected', {
    filePath = path,
  })
end

function M.show(spec)
  paths[spec.id] = spec.path
  local buf = require('hawser.documents').find(spec.path)
  if buf and vim.bo[buf].modified then
    spec.notice = 'unsaved changes'
  end
  diff().on_decision(on_decision)
  local ok, problem = pcall(diff().show, spec)
  if not ok then
    paths[spec.id] = nil
    error(problem, 0)
  end
end

function M.close(id)
  paths[id] = nil
  diff().close(id)
end

--- Nobody waits for decisions any more.
function M.close_all()
  for id in pairs(paths) do
    pcall(M.close, id)
  end
end

function M.count()
  return vim.tbl_count(paths)
end

return M
