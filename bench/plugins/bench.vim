vim9script
# What bench/plugins/measures.mjs asks for.
set nocompatible encoding=utf-8 hidden shortmess+=I noswapfile viminfo=
&runtimepath = expand('<sfile>:p:h:h:h') .. '/editors/vim,' .. $VIMRUNTIME
g:hawser_show = 0

import '../../editors/vim/autoload/hawser/connection.vim'
import '../../editors/vim/autoload/hawser/documents.vim'

var longest = 0.0
var last = reltime()

def Beat(_: number)
  var gap = reltimefloat(reltime(last))
  longest = gap > longest ? gap : longest
  last = reltime()
enddef

# The longest time without a timer since this was asked last.
def Longest(_: dict<any>): any
  var found = longest * 1000
  longest = 0.0
  return {ms: found}
enddef

def Show(_: dict<any>): any
  var began = reltime()
  Hawser review
  redraw
  return {ms: reltimefloat(reltime(began)) * 1000}
enddef

# Moves the cursor a thousand times in a line, and does what is asked.
def Cursor(params: dict<any>): any
  cursor(params.line, 1)
  for turn in range(1000)
    cursor(0, turn % 50 + 1)
    if params.what ==# 'event'
      doautocmd <nomodeline> CursorMoved
    elseif params.what ==# 'pause'
      documents.SendState()
    endif
  endfor
  return v:null
enddef

autocmd VimEnter * Begin()
def Begin()
  timer_start(1, Beat, {repeat: -1})
  connection.Handle('bench/longest', Longest)
  connection.Handle('bench/show', Show)
  connection.Handle('bench/cursor', Cursor)
  Hawser start
enddef
