local harness = require('harness')
local choices = require('hawser.diff.choices')
local columns = require('hawser.columns')
local language_id = require('hawser.language_id')
local proposals = require('hawser.diff.proposal')
local test, equal = harness.test, harness.equal

local MESSAGE = {
  id = 'p',
  revision = 2,
  uri = 'file:///tmp/a%20b.txt',
  agent = 'an agent',
  effect = 'edit',
  base = 'merged',
  isNewFile = false,
  oldText = 'one\ntwo\n',
  newText = 'ONE\ntwo\n',
  lineEnd = '\r\n',
  hasBom = true,
  hunks = { { 0, 1, 0, 1 } },
}

test('a message becomes a proposal: lines count from 1, the path is one of the disk', function()
  local proposal = proposals.from_message(MESSAGE)
  equal({ proposal.path, proposal.made_from, proposal.old }, { '/tmp/a b.txt', 2, 'one\ntwo\n' })
  equal({ proposal.hunks, proposal.shape }, { { { 1, 1, 1, 1 } }, { crlf = true, bom = true } })
  equal({ proposal.compares, proposal.round, proposal.set }, { 'file', nil, nil })
end)

test('a new file has no old text, a member of a set says which it is', function()
  local set = { id = 's', title = 'Rename a to b', index = 0, size = 3 }
  local message = vim.tbl_extend('force', MESSAGE, { isNewFile = true, oldText = '', set = set })
  local proposal = proposals.from_message(message)
  equal({ proposal.old, proposal.set }, { nil, 'Rename a to b (1 of 3)' })
end)

test('a later round is compared with the one before, unless nothing is new', function()
  local previous = {
    round = 1,
    notes = { { text = 'shorter' } },
    marks = { 'rejected' },
    newText = 'one!\ntwo\n',
    since = { hunks = { { 0, 1, 0, 1 } }, noteLines = { 0 } },
  }
  local proposal =
    proposals.from_message(vim.tbl_extend('force', MESSAGE, { previous = previous, marks = { 'rejected' } }))
  equal({ proposal.round, proposal.compares, proposals.old_text(proposal) }, { 2, 'round', 'one!\ntwo\n' })
  equal(proposal.earlier_notes, { { text = 'round 1: shorter', line = 1 } })
  equal(proposal.choices, { 'rejected' })
  previous.newText = MESSAGE.newText
  equal(proposals.from_message(vim.tbl_extend('force', MESSAGE, { previous = previous })).compares, 'file')
end)

test('choices on the whole change hold for the hunks of a round that touch them, if they agree', function()
  local whole =
    { hunks = { { 1, 1, 1, 1 }, { 3, 0, 3, 2 }, { 9, 1, 11, 1 } }, choices = { 'accepted', 'rejected', 'undecided' } }
  local rounds = { { 1, 1, 1, 1 }, { 1, 4, 1, 4 }, { 8, 1, 11, 1 }, { 20, 1, 20, 1 } }
  equal(choices.on(rounds, whole), { 'accepted', 'undecided', 'undecided', 'undecided' })
end)

test('the next hunk without a choice is found around the end', function()
  local pair = { hunks = { {}, {}, {} }, choices = { 'undecided', 'accepted', 'rejected' } }
  equal({ choices.next_open(pair, 2), choices.count(pair) }, { 1, { accepted = 1, rejected = 1, undecided = 1 } })
  pair.choices[1] = 'accepted'
  equal(choices.next_open(pair, 2), nil)
end)

test('columns of language servers become UTF-16, whatever they count', function()
  equal(columns.convert('ä😀x', 6, 'utf-8'), 3)
  equal(columns.convert('ä😀x', 2, 'utf-32'), 3)
  equal(columns.convert('abc', 9, 'utf-32'), 3)
end)

test('filetypes have the names of the Language Server Protocol', function()
  equal(
    vim.tbl_map(language_id.of, { 'sh', 'lua', '', 'html.handlebars' }),
    { 'shellscript', 'lua', 'plaintext', 'html' }
  )
end)
