vim9script
# Vim with the hands of a user: hawser editor --check -- script -qfec "vim -Nu $PWD/editors/vim/test/hands.vim" /dev/null
set nocompatible encoding=utf-8 hidden shortmess+=I noswapfile
set viminfo= columns=160
&runtimepath = expand('<sfile>:p:h:h') .. ',' .. $VIMRUNTIME
filetype on

import '../autoload/hawser/diff.vim'
import '../autoload/hawser/documents.vim'
import '../autoload/hawser/review.vim'
import '../autoload/hawser/selection.vim'
import '../autoload/hawser/session.vim'
import '../autoload/hawser/text.vim'

def GoTo(uri: string)
  execute "normal! \<Esc>"
  execute 'hide buffer' documents.BufferOf(uri)
enddef

def Type(params: dict<any>): any
  var buf = documents.BufferOf(params.uri)
  setbufvar(buf, '&fixendofline', 0)
  text.SetFileLines(buf, split(params.text, "\n", true))
  if params.text == ''
    # Vim writes nothing when the user has deleted all lines, and a line end when one empty line is left.
    deletebufline(buf, 1, '$')
  endif
  setbufvar(buf, '&modified', 1)
  documents.SendState()
  return v:null
enddef

def SelectRange(params: dict<any>): any
  GoTo(params.uri)
  selection.Select(params.range)
  documents.SendSelectionSoon()
  return v:null
enddef

def Mention(params: dict<any>): any
  GoTo(params.uri)
  var range = get(params, 'range', v:null)
  execute type(range) == v:t_dict ? printf(':%d,%dHawser send', range.start.line + 1, range.end.line + 1) : 'Hawser send'
  return v:null
enddef

def Folder(params: dict<any>): any
  execute 'cd' fnameescape(params.path)
  return v:null
enddef

def Report(params: dict<any>): any
  var diagnostic = params.diagnostic
  var range = diagnostic.range
  setqflist([{bufnr: documents.BufferOf(params.uri), text: diagnostic.message, type: ' EWIN'[diagnostic.severity],
    lnum: range.start.line + 1, col: range.start.character + 1, end_lnum: range.end.line + 1, end_col: range.end.character + 1}])
  doautocmd QuickFixCmdPost make
  return v:null
enddef

def Shown(params: dict<any>): any
  return {isShown: diff.IsShown(review.Find(params.id))}
enddef

def Says(params: dict<any>): any
  redraw
  var screen = range(1, &lines)->mapnew((_, row) => range(1, &columns)->mapnew((_, column) => screenstring(row, column))->join(''))
  return {isSaid: Shown(params).isShown && stridx(join(screen, "\n"), params.words) >= 0}
enddef

# When it is shown, with the commands of a user; another one that waits at once.
def Decide(params: dict<any>): any
  var view = review.Find(params.id)
  var decision = params.decision
  var lines = get(decision, 'text', v:null) == v:null ? view.newLines : split(decision.text, "\n", true)
  var marks = get(decision, 'marks', [])
  var isShown = Shown(params).isShown
  if !isShown && (lines != view.newLines || index(marks, 'rejected') >= 0)
    timer_start(20, (_) => Decide(params))
    return v:null
  endif
  for note in get(decision, 'notes', [])
    review.AddNote(view, has_key(note, 'lines') ? {text: note.text, lines: note.lines} : {text: note.text})
  endfor
  if lines != view.newLines
    text.SetBufferLines(view.new, lines)
  endif
  for at in range(len(marks))->filter((_, at) => marks[at] ==# 'rejected')->reverse()
    win_gotoid(win_findbuf(view.new)[0])
    cursor(view.proposal.hunks[at][2] + 1, 1)
    normal! do
  endfor
  review.Decide(view, {kind: decision.kind})
  return v:null
enddef

def Dismiss(params: dict<any>): any
  win_gotoid(win_findbuf(review.Find(params.id).new)[0])
  quit
  return v:null
enddef

autocmd VimEnter * Begin()
# `script` takes two seconds to end a program; Vim leaves by itself.
autocmd User HawserStopped timer_start(0, (_) => execute('qall!'))
def Begin()
  session.AddTestHands({
    'test/type': Type, 'test/select': SelectRange, 'test/mention': Mention, 'test/folder': Folder, 'test/report': Report,
    'test/shown': Shown, 'test/says': Says, 'test/decide': Decide, 'test/dismiss': Dismiss,
  })
  Hawser start
enddef
