" Hawser for Vim: one command, which loads the rest when it is used. Neovim has a plugin of its own in this repository.
if exists('g:loaded_hawser') || has('nvim')
  finish
endif
let g:loaded_hawser = 1

if !has('patch-8.2.4758') || !has('channel') || !has('vim9script')
  command! -nargs=* Hawser echoerr 'Hawser: it needs Vim 8.2.4758 or newer with +channel'
  finish
endif

command! -nargs=* -range -bang -complete=customlist,hawser#commands#Complete
      \ Hawser call hawser#commands#Run(<q-args>, <bang>0, <range>, <line1>, <line2>)

if get(g:, 'hawser_autostart', 0)
  augroup hawser_autostart
    autocmd!
    autocmd VimEnter * ++once call hawser#session#Start()
  augroup END
endif
