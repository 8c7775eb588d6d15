-- Almost nothing: commands that load the rest when they are used, and a start after everything else.
if vim.g.loaded_hawser == 1 then
  return
end
vim.g.loaded_hawser = 1

if vim.fn.has('nvim-0.7.2') == 0 then
  vim.api.nvim_echo({ { 'Hawser: it needs Neovim 0.7.2 or newer', 'WarningMsg' } }, true, {})
  return
end

vim.api.nvim_create_user_command('Hawser', function(given)
  require('hawser.commands').run_first_word(given)
end, {
  desc = 'Hawser: show the state of the bridge, or do what follows',
  nargs = '*',
  range = true,
  bang = true,
  complete = function(...)
    return require('hawser.commands').complete(...)
  end,
})

local aliases = {}

--- `:Hawser {subcommand}` as a command of its own.
---@param subcommand string
---@param alias string
---@param description string
---@param options? table
local function add(subcommand, alias, description, options)
  options = options or {}
  options.desc = 'Hawser: ' .. description
  vim.api.nvim_create_user_command(alias, function(given)
    require('hawser.commands').run(subcommand, given)
  end, options)
  aliases[subcommand] = { alias, options.desc }
end

add('start', 'HawserStart', 'start the bridge')
add('stop', 'HawserStop', 'stop the bridge')
add('restart', 'HawserRestart', 'restart the bridge')
add('send', 'HawserSend', 'point agents to a file or lines', { range = true, nargs = '?', complete = 'file' })
add('accept', 'HawserAccept', 'accept the proposal')
add('reject', 'HawserReject', 'reject the proposal')
add('ask', 'HawserAsk', 'ask for changes of the proposal', { nargs = '*' })
add('note', 'HawserNote', 'write a note on lines of the proposal, with ! on all of it', {
  range = true,
  bang = true,
  nargs = '*',
})
add('remove-note', 'HawserRemoveNote', 'remove the note at the cursor')
add('compare', 'HawserCompare', 'show the whole change, or what is new since the round before')
add('accept-hunk', 'HawserAcceptHunk', 'accept this hunk')
add('reject-hunk', 'HawserRejectHunk', 'reject this hunk')
add('undo-hunk', 'HawserUndoHunk', 'take the last decision on a hunk back')
add('next-hunk', 'HawserNextHunk', 'go to the next hunk')
add('prev-hunk', 'HawserPrevHunk', 'go to the previous hunk')
add('review', 'HawserReview', 'go to the proposal that is shown or waits')
add('web', 'HawserWeb', 'open the review in the browser')
add('pause', 'HawserPause', 'pause or resume: while paused, agents see nothing')
add('log', 'HawserLog', 'show the log of the bridge')
add('agent', 'HawserAgent', 'show or hide the terminal of the agent', {
  nargs = '*',
  bang = true,
  complete = 'shellcmd',
})

local function add_mappings()
  for subcommand, alias in pairs(aliases) do
    local plug, run = ('<Plug>(hawser-%s)'):format(subcommand), ('<Cmd>%s<CR>'):format(alias[1])
    vim.api.nvim_set_keymap('n', plug, run, { noremap = true, desc = alias[2] })
  end
  -- The lines that are selected.
  vim.api.nvim_set_keymap('x', '<Plug>(hawser-send)', ':HawserSend<CR>', {
    noremap = true,
    silent = true,
    desc = 'Hawser: point agents to these lines',
  })
end

local function start()
  vim.schedule(function()
    add_mappings()
    require('hawser').on_vim_enter()
  end)
end

if vim.v.vim_did_enter == 1 then
  start()
else
  vim.api.nvim_create_autocmd('VimEnter', { once = true, callback = start })
end
