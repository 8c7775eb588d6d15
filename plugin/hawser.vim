" Neovim has plugin/hawser.lua. In Vim this repository stands for the plugin in editors/vim.
if has('nvim')
  finish
endif
let s:plugin = expand('<sfile>:p:h:h') . '/editors/vim'
let &runtimepath = escape(s:plugin, '\,') . ',' . &runtimepath
execute 'source' fnameescape(s:plugin . '/plugin/hawser.vim')
