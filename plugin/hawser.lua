-- Almost nothing: commands that load the rest when they are used, and a start after everything else.
if vim.g.loaded_hawser == 1 then
  return
end
vim.g.loaded_hawser = 1

if vim.fn.has('nvim-0.7') == 0 then
  vim.api.nvim_echo({ { 'Hawser: it needs Neovim 0.7 or newer', 'WarningMsg' } }, true, {})
  return
end

local function command(name, options)
  vim.api.nvim_create_user_command(name, function(given)
    require('hawser.commands').run(name, given)
  end, options)
end

command('Hawser', { desc = 'Hawser: show the state of the bridge' })
command('HawserStart', { desc = 'Hawser: start the bridge' })
command('HawserStop', { desc = 'Hawser: stop the bridge' })
command('HawserRestart', { desc = 'Hawser: restart the bridge' })
command(
  'HawserSend',
  { desc = 'Hawser: point agents to a file or lines', range = true, nargs = '?', complete = 'file' }
)
command('HawserAccept', { desc = 'Hawser: accept the proposal' })
command('HawserReject', { desc = 'Hawser: reject the proposal' })
command('HawserNextHunk', { desc = 'Hawser: to the next change' })
command('HawserPrevHunk', { desc = 'Hawser: to the change before' })
command('HawserAcceptHunk', { desc = 'Hawser: accept this change' })
command('HawserRejectHunk', { desc = 'Hawser: reject this change' })
command('HawserUndoHunk', { desc = 'Hawser: take the last decision on a change back' })
command('HawserReview', { desc = 'Hawser: go to the proposal that is shown or waits' })
command('HawserPause', { desc = 'Hawser: let agents see nothing, or let them in again' })
command('HawserLog', { desc = 'Hawser: show the log of the bridge' })
command('HawserAgent', {
  desc = 'Hawser: show or hide the terminal of the agent',
  nargs = '*',
  bang = true,
  complete = 'shellcmd',
})

local function start()
  vim.schedule(function()
    require('hawser').on_vim_enter()
  end)
end

if vim.v.vim_did_enter == 1 then
  start()
else
  vim.api.nvim_create_autocmd('VimEnter', { once = true, callback = start })
end
