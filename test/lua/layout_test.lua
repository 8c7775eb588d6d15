local harness = require('harness')
local layout = require('hawser.diff.layout')
local test, equal = harness.test, harness.equal

--- The room in a window of this size, and what differs from that.
local function room(width, height, other)
  return vim.tbl_extend('force', {
    width = width,
    height = height,
    screen_width = width,
    is_bound = false,
    is_beside = false,
  }, other or {})
end

local inline, sides = { inline = true, in_tab = false }, { inline = false, in_tab = false }
local inline_tab, sides_tab = { inline = true, in_tab = true }, { inline = false, in_tab = true }

test('auto: two sides where each has 80 columns, else inline', function()
  equal(layout.choose('auto', room(161, 40)), sides)
  equal(layout.choose('auto', room(160, 40)), inline)
  equal(layout.choose('auto', room(95, 40, { is_beside = true })), inline)
  equal(layout.choose('auto', room(200, 40, { is_beside = true })), sides)
end)

test('auto: inline beside windows that scroll together, which two sides would join', function()
  equal(layout.choose('auto', room(200, 40, { is_bound = true })), inline)
end)

test('auto: a tab where the window is too small, arranged by the width of the screen', function()
  equal(layout.choose('auto', room(200, 11)), sides_tab)
  equal(layout.choose('auto', room(29, 40, { screen_width = 120 })), inline_tab)
end)

test('split: two sides from 60 columns on, then a tab; beside a terminal inline', function()
  equal(layout.choose('split', room(60, 12)), sides)
  equal(layout.choose('split', room(59, 12)), sides_tab)
  equal(layout.choose('split', room(200, 40, { is_bound = true })), sides_tab)
  equal(layout.choose('split', room(59, 12, { is_beside = true })), inline)
end)

test('inline: always, and in a tab where the window is too small', function()
  equal(layout.choose('inline', room(300, 40, { is_bound = true })), inline)
  equal(layout.choose('inline', room(300, 11)), inline_tab)
end)

test('tab: always, but beside a terminal, which the user would leave, as auto', function()
  equal(layout.choose('tab', room(80, 40)), sides_tab)
  equal(layout.choose('tab', room(95, 40, { is_beside = true })), inline)
  equal(layout.choose('tab', room(200, 40, { is_beside = true })), sides)
end)
