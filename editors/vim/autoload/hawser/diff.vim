vim9script
# A proposal as a diff in a tab of its own: the file on the left, the proposed text on the right, notes between the lines.
import './connection.vim'
import './text.vim'

const LARGE = 1048576
const KEYS = 'ZZ accept  ZQ reject  do take back  gn note  ga ask'
const AS_IT_IS = ' %t: as it is'

augroup hawser_review
augroup END

export def Open(view: dict<any>)
  var proposal = view.proposal
  view.origin = win_getid()
  view.old = MakeBuffer(view, 'now', 'nofile', view.oldLines)
  view.new = MakeBuffer(view, 'proposed', 'acwrite', view.newLines)
  execute 'tab sbuffer' view.new
  var newWindow = win_getid()
  execute 'vertical leftabove sbuffer' view.old
  SetUpWindow(view, AS_IT_IS)
  setlocal nomodifiable
  win_gotoid(newWindow)
  SetUpWindow(view, printf(' %%t: %s  %s%%=%%l/%%L ', proposal.agent->substitute('%', '%%', 'g'), KEYS))
  if proposal.effect !=# 'edit'
    setlocal nomodifiable
  endif
  execute printf('autocmd hawser_review BufWriteCmd <buffer=%d> hawser#review#Written(%s)', view.new, string(proposal.id))
  execute printf('autocmd hawser_review CmdlineLeave <buffer=%d> hawser#review#Entered(%s)', view.new, string(proposal.id))
  execute printf('autocmd hawser_review BufWinLeave <buffer=%d> hawser#review#CheckDismissed(%s)', view.new, string(proposal.id))
  TakeBackAgain(view)
  MarkNewLines(view)
  if !empty(proposal.hunks)
    cursor(min([proposal.hunks[0][2] + 1, line('$')]), 1)
    normal! zv
  endif
  ShowNotes(view)
enddef

# Shows another revision. What the user has edited stays.
export def Refresh(view: dict<any>, isEdited: bool)
  ShowOld(view)
  if !isEdited
    Fill(view.new, view.newLines)
    TakeBackAgain(view)
  endif
  MarkNewLines(view)
  ShowNotes(view)
  Compare(view)
enddef

export def Hide(view: dict<any>)
  var isHere = index([get(view, 'old', -1), get(view, 'new', -1)], bufnr()) >= 0
  var origin = get(view, 'origin', 0)
  for side in ['old', 'new']
    var buf = has_key(view, side) ? remove(view, side) : 0
    if buf > 0 && bufexists(buf)
      execute printf('autocmd! hawser_review * <buffer=%d>', buf)
      execute 'silent bwipeout!' buf
    endif
  endfor
  if isHere
    win_gotoid(origin)
  endif
enddef

export def IsShown(view: dict<any>): bool
  return has_key(view, 'new') && !win_findbuf(view.new)->empty()
enddef

export def NameOf(view: dict<any>): string
  return fnamemodify(text.PathOf(view.proposal.uri), ':t')
enddef

export def TextOf(view: dict<any>): list<string>
  return text.BufferLines(view.new)
enddef

export def IsEdited(view: dict<any>): bool
  return has_key(view, 'new') && bufexists(view.new) && TextOf(view) != view.newLines && !(TextOf(view) == [''] && view.newLines == ['', ''])
enddef

# Of the round before, once the user has asked for changes.
export def Previous(view: dict<any>): dict<any>
  var previous = get(view.proposal, 'previous', v:null)
  return type(previous) == v:t_dict ? previous : {}
enddef

# Shows what was proposed in the round before on the left, or the file again.
export def ToggleRound(view: dict<any>)
  var previous = Previous(view)
  if !has_key(previous, 'newText') && !has_key(previous, 'newTextFile')
    throw 'there is no round before this one'
  endif
  view.isCompared = !view.isCompared
  ShowOld(view)
  Compare(view)
  ShowNotes(view)
enddef

def ShowOld(view: dict<any>)
  Fill(view.old, view.isCompared ? view.previousLines : view.oldLines)
  setwinvar(win_findbuf(view.old)[0], '&statusline', view.isCompared ? printf(' %%t: as it was in round %d', Previous(view).round) : AS_IT_IS)
enddef

# After a text has been replaced.
export def Compare(view: dict<any>)
  win_execute(win_findbuf(view.new)[0], 'diffupdate')
enddef

def SetUpWindow(view: dict<any>, statusline: string)
  diffthis
  &l:statusline = statusline
  nnoremap <buffer> <nowait> ZZ <ScriptCmd>hawser#commands#Run('accept', 0, 0, 0, 0)<CR>
  nnoremap <buffer> <nowait> ZQ <ScriptCmd>hawser#commands#Run('reject', 0, 0, 0, 0)<CR>
  nnoremap <buffer> <nowait> gn :Hawser note<CR>
  xnoremap <buffer> <nowait> gn :Hawser note<CR>
  nnoremap <buffer> <nowait> ga :Hawser ask<CR>
enddef

def MakeBuffer(view: dict<any>, what: string, kind: string, lines: list<string>): number
  var path = text.PathOf(view.proposal.uri)
  var buf = bufadd(printf('hawser://%s/%s/%s', view.proposal.id, what, fnamemodify(path, ':t')))
  setbufvar(buf, '&buftype', kind)
  setbufvar(buf, '&swapfile', 0)
  noautocmd silent bufload(buf)
  setbufvar(buf, '&bufhidden', 'hide')
  setbufvar(buf, '&undolevels', -1)
  Fill(buf, lines)
  setbufvar(buf, '&undolevels', &g:undolevels)
  setbufvar(buf, 'hawser_id', view.proposal.id)
  if len(lines) < LARGE / 64
    setbufvar(buf, '&syntax', FiletypeOf(path))
  endif
  return buf
enddef

def FiletypeOf(path: string): string
  var buf = bufnr(path)
  var known = buf > 0 ? getbufvar(buf, '&filetype') : ''
  return known != '' ? known : get({ts: 'typescript', js: 'javascript', py: 'python', rs: 'rust', md: 'markdown',
    rb: 'ruby', sh: 'sh', h: 'c', hpp: 'cpp', cc: 'cpp', yml: 'yaml', lisp: 'lisp'}, fnamemodify(path, ':e'), fnamemodify(path, ':e'))
enddef

export def Fill(buf: number, lines: list<string>)
  var modifiable = getbufvar(buf, '&modifiable')
  setbufvar(buf, '&modifiable', 1)
  setbufvar(buf, '&fileformat', 'unix')
  text.SetBufferLines(buf, lines)
  setbufvar(buf, '&modified', 0)
  setbufvar(buf, '&modifiable', modifiable)
enddef

# Takes back what the user took back in the round before, if it is proposed again. Undo brings it back.
def TakeBackAgain(view: dict<any>)
  var marks = get(view.proposal, 'marks', [])
  var lines = copy(view.newLines)
  # From the end, so that the lines before keep their numbers.
  for index in range(type(marks) == v:t_list ? len(marks) : 0)->reverse()
    if marks[index] ==# 'rejected'
      var [old, oldCount, new, newCount] = view.proposal.hunks[index]
      var isEnd = new + newCount >= len(view.newLines) - (view.newLines[-1] == '' ? 1 : 0)
      lines = isEnd ? slice(lines, 0, new) + view.oldLines[old :]
        : slice(lines, 0, new) + slice(view.oldLines, old, old + oldCount) + lines[new + newCount :]
    endif
  endfor
  text.SetBufferLines(view.new, lines)
enddef

# Signs on the lines that are new since the round before.
def MarkNewLines(view: dict<any>)
  var since = get(Previous(view), 'since', v:null)
  if type(since) != v:t_dict
    return
  endif
  sign_define('hawser_new', {text: '»', texthl: 'MoreMsg'})
  sign_unplace('hawser', {buffer: view.new})
  for [_, _, first, count] in since.hunks
    for lnum in range(first + 1, first + count)
      sign_place(0, 'hawser', 'hawser_new', view.new, {lnum: lnum})
    endfor
  endfor
enddef

# The notes below their lines, those of the round before, and why it was not written.
export def ShowNotes(view: dict<any>)
  if !IsShown(view) || !has('patch-9.0.0438')
    if !empty(view.notes)
      connection.Say(printf('%d notes', len(view.notes)))
    endif
    return
  endif
  if empty(prop_type_get('hawser_note'))
    prop_type_add('hawser_note', {highlight: 'MoreMsg'})
  endif
  for buf in [view.old, view.new]
    prop_remove({type: 'hawser_note', bufnr: buf, all: true})
  endfor
  var earlier = get(Previous(view), 'notes', [])->mapnew((_, note) => ({text: 'you asked: ' .. note.text}))
  var problem = view.problem == '' ? [] : [{text: 'it was not written: ' .. view.problem}]
  for note in problem + earlier + view.notes
    var side = has_key(note, 'lines') && note.lines.side ==# 'old' ? view.old : view.new
    var lnum = has_key(note, 'lines') ? min([note.lines.first + note.lines.count, getbufinfo(side)[0].linecount]) : 1
    var align = has_key(note, 'lines') ? 'below' : 'above'
    prop_add(lnum, 0, {type: 'hawser_note', bufnr: side, text: '  » ' .. note.text, text_align: align, text_wrap: 'wrap'})
    if align ==# 'above'
      # The same room on the left, so that lines stay side by side.
      prop_add(1, 0, {type: 'hawser_note', bufnr: view.old, text: ' ', text_align: align})
    endif
  endfor
enddef
