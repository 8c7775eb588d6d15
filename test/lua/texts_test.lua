local harness = require('harness')
local marks = require('hawser.diff.marks')
local message = require('hawser.message')
local note = require('hawser.note')
local text = require('hawser.diff.text')
local utf16 = require('hawser.utf16')
local write = require('hawser.write')
local test, equal = harness.test, harness.equal

test('a buffer holds exactly the text that it was filled with', function()
  local buffer = vim.api.nvim_create_buf(false, true)
  for _, given in ipairs({ '', '\n', 'a', 'a\n', 'a\nb', 'a\r\nb\n', '', '\r\n', 'a\n\n', '\n' }) do
    text.fill(buffer, given)
    equal(text.of(buffer), given)
  end
end)

test('a text is written with the line ends that it has throughout', function()
  local formats = vim.tbl_map(function(given)
    return write.format_for(given, 'mac')
  end, { 'a', 'a\r\nb\r\n', 'a\r\nb\n', '\n', 'a\n' })
  equal(formats, { 'mac', 'dos', 'unix', 'unix', 'unix' })
end)

test('two lines differ from the first to the last character that does, never inside one', function()
  local function difference(one, other)
    return { text.difference(one, other) }
  end
  equal(difference('say hello now', 'say good day now'), { 4, 4 })
  equal(difference('same', 'same'), { 4, 0 })
  -- ä and ö share their first byte.
  equal(difference('xäx', 'xöx'), { 1, 1 })
end)

test('UTF-16 columns and bytes', function()
  local line = 'aä😀z'
  equal({ utf16.from_byte(line, 1), utf16.from_byte(line, 3), utf16.from_byte(line, 7) }, { 1, 2, 4 })
  equal({ utf16.to_byte(line, 1), utf16.to_byte(line, 2), utf16.to_byte(line, 4), utf16.to_byte(line, 9) }, {
    1,
    3,
    7,
    8,
  })
end)

test('a message is cut at its end, a path is shown with its folder', function()
  equal(message.cut('a long message', 20), 'a long message')
  equal(message.cut('a long message', 6), 'a lon…')
  equal(message.short_path('/home/me/src/cart.ts'), 'src/cart.ts')
  equal(message.short_path(nil), 'untitled')
end)

test('a note has its words on as many lines as it needs', function()
  local function wrapped(given, cells)
    return { note.wrapped(given, cells) }
  end
  equal(wrapped('a short note', 40), { { ' a short note ' }, 14 })
  equal(wrapped('a note on\ntwo lines', 12), { { ' a note on ', ' two lines ' }, 11 })
  equal(wrapped('extraordinarily', 8), { { ' extrao…' }, 8 })
end)

test('a removed line is wrapped as a window would wrap it', function()
  local function wrapped(chunks, cells)
    return vim.tbl_map(function(line)
      return table.concat(
        vim.tbl_map(function(chunk)
          return chunk[1] .. '/' .. chunk[2]
        end, line),
        ' '
      )
    end, marks.wrap(chunks, cells))
  end
  equal(wrapped({ { 'abcdef', 'A' } }, 4), { 'abcd/A', 'ef/A' })
  equal(wrapped({ { 'abc', 'A' }, { 'def', 'B' } }, 4), { 'abc/A d/B', 'ef/B' })
  equal(wrapped({ { 'abcd', 'A' }, { 'e', 'B' } }, 4), { 'abcd/A', 'e/B' })
  -- A wide character does not fit into the last cell.
  equal(wrapped({ { 'abc漢字', 'A' } }, 4), { 'abc/A', '漢字/A' })
  equal(wrapped({ { '漢', 'A' } }, 1), { '漢/A' })
  equal(marks.wrap({}, 4), { {} })
end)
