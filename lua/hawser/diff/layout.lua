-- How a proposal is arranged, by the room there is.
local M = {}

---@alias hawser.Layout 'auto'|'split'|'inline'|'tab'

--- The room for a view.
---@class hawser.Room
---@field width integer Of the column that it would take
---@field height integer
---@field screen_width integer
---@field is_bound boolean Windows of the tab are in diff mode or scroll together, which ours must not join
---@field is_beside boolean The user is in a terminal, and stays there

---@class hawser.Arrangement
---@field inline boolean One window in place of two
---@field in_tab boolean In a tab of its own

--- Lines of code are seldom longer, so that little is cut off.
local READABLE_COLUMNS = 80
--- A user who wants two sides gets them from this width on.
local LEAST_COLUMNS_FOR_TWO = 60
local LEAST_COLUMNS = 30
local LEAST_ROWS = 12

---@param columns integer
---@return boolean
local function has_readable_halves(columns)
  return math.floor((columns - 1) / 2) >= READABLE_COLUMNS
end

--- Whether a view fits there at all.
---@param room hawser.Room
---@return boolean
function M.fits(room)
  return room.height >= LEAST_ROWS and room.width >= LEAST_COLUMNS
end

---@param wanted hawser.Layout
---@param room hawser.Room
---@return hawser.Arrangement
function M.choose(wanted, room)
  if wanted == 'inline' then
    return { inline = true, in_tab = not M.fits(room) }
  end
  if wanted == 'split' or (wanted == 'tab' and not room.is_beside) then
    local fits = M.fits(room) and room.width >= LEAST_COLUMNS_FOR_TWO and not room.is_bound
    -- A tab would take the user out of the terminal.
    return { inline = room.is_beside and not fits, in_tab = wanted == 'tab' or not (fits or room.is_beside) }
  end
  if M.fits(room) then
    return { inline = room.is_bound or not has_readable_halves(room.width), in_tab = false }
  end
  return { inline = not has_readable_halves(room.screen_width), in_tab = true }
end

return M
