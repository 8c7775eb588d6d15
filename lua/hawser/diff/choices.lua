-- The user's choices about single hunks of a view. They are only marks until the whole is accepted.
local M = {}

local api = vim.api

--- The number of the new side's text in its undo history.
---@param pair hawser.DiffPair
---@return integer
local function undo_state(pair)
  return api.nvim_buf_call(pair.new, function()
    return vim.fn.undotree().seq_cur
  end)
end

--- Whether two hunks of the same new text have lines in common. Lines that were removed are between two lines.
---@param one hawser.Hunk
---@param other hawser.Hunk
---@return boolean
local function touches(one, other)
  local stop, other_stop = one[3] + one[4], other[3] + other[4]
  if one[4] == 0 or other[4] == 0 then
    return one[3] <= other_stop and other[3] <= stop
  end
  return one[3] < other_stop and other[3] < stop
end

--- The choices about hunks of another comparison: where the hunks of the whole change there have one and the same.
---@param hunks hawser.Hunk[]
---@param whole { hunks: hawser.Hunk[], choices: hawser.Choice[] }
---@return hawser.Choice[]
function M.on(hunks, whole)
  return vim.tbl_map(function(hunk)
    local common
    for index, each in ipairs(whole.hunks) do
      if touches(hunk, each) then
        local choice = whole.choices[index]
        if common ~= nil and common ~= choice then
          return 'undecided'
        end
        common = choice
      end
    end
    return common or 'undecided'
  end, hunks)
end

--- Makes a choice about a hunk, so that undo() can take it back.
---@param view hawser.DiffView
---@param index integer
---@param choice hawser.Choice
function M.choose(view, index, choice)
  local pair = view.pair
  local hunk, whole = pair.hunks[index], pair.whole
  view.chosen[#view.chosen + 1] = {
    old_start = hunk[1],
    old_count = hunk[2],
    before = pair.choices[index],
    whole_before = vim.list_extend({}, whole.choices),
    state = undo_state(pair),
  }
  pair.choices[index] = choice
  if pair.hunks ~= whole.hunks then
    for at, each in ipairs(whole.hunks) do
      whole.choices[at] = touches(hunk, each) and choice or whole.choices[at]
    end
  end
end

--- Takes the last choice back and gives the index of its hunk; nil when the text was edited since, or there is none.
---@param view hawser.DiffView
---@return integer?
function M.undo(view)
  local pair = view.pair
  while #view.chosen > 0 do
    local last = view.chosen[#view.chosen]
    if last.state ~= undo_state(pair) then
      return nil
    end
    view.chosen[#view.chosen] = nil
    for index, hunk in ipairs(pair.hunks) do
      if hunk[1] == last.old_start and hunk[2] == last.old_count then
        if pair.hunks ~= pair.whole.hunks then
          pair.whole.choices = last.whole_before
        end
        pair.choices[index] = last.before
        return index
      end
    end
  end
  return nil
end

--- How many hunks there are of each choice.
---@param pair hawser.DiffPair
---@return table<hawser.Choice, integer>
function M.count(pair)
  local counts = { accepted = 0, rejected = 0, undecided = 0 }
  for _, choice in ipairs(pair.choices) do
    counts[choice] = counts[choice] + 1
  end
  return counts
end

--- The hunk after this one without a choice, going round; nil when all are.
---@param pair hawser.DiffPair
---@param index integer
---@return integer?
function M.next_open(pair, index)
  for offset = 1, #pair.hunks do
    local at = (index + offset - 1) % #pair.hunks + 1
    if pair.choices[at] == 'undecided' then
      return at
    end
  end
  return nil
end

return M
