vim9script
# Proposals: one at a time, as a diff in a tab of its own. What is on the right when the user accepts is what is written.
import './connection.vim'
import './documents.vim'
import './text.vim'

# How long the user has to be idle before a tab opens, and how often that is looked at.
const IDLE_SECONDS = 0.4
const LOOK_AGAIN_MS = 100
const LARGE = 1048576
const KEYS = 'ZZ accept  ZQ reject  do take back  gn note  ga ask'

const AS_IT_IS = ' %t: as it is'

# By id: {proposal, oldLines, newLines, notes, problem, isSent, isDecided} and, once it is shown, {old, new, origin}: buffers and a window.
var views: dict<dict<any>> = {}
var order: list<string> = []
var timer = 0

# Messages of the bridge ---------------------------------------------------------

export def Show(proposal: dict<any>): dict<any>
  var view = Received(proposal)
  view->extend({notes: [], problem: '', isSent: false, isDecided: false})
  views[proposal.id] = view
  order->add(proposal.id)
  ShowSoon()
  return {state: 'queued'}
enddef

export def Update(proposal: dict<any>): dict<any>
  if !has_key(views, proposal.id)
    return Show(proposal)
  endif
  var view = views[proposal.id]
  var edited = IsEdited(view) ? TextOf(view) : []
  var revision = view.proposal.revision
  view->extend(Received(proposal))
  view.isSent = false
  view.problem = ''
  if !IsShown(view)
    return {state: 'queued'}
  endif
  Fill(view.old, view.oldLines)
  if empty(edited)
    Fill(view.new, view.newLines)
    TakeBackAgain(view)
  else
    Merge(view, edited, revision)
  endif
  MarkNewLines(view)
  ShowNotes(view)
  win_execute(win_findbuf(view.new)[0], 'diffupdate')
  connection.Say(printf('%s has changed; look again%s', NameOf(view), empty(edited) ? '' : '. Your edited text is kept'), 'WarningMsg')
  return {state: 'shown'}
enddef

# Brings the change of the file into what the user has made of the revision before. If both changed the same lines, the
# text of the user stays.
def Merge(view: dict<any>, edited: list<string>, revision: number)
  connection.Request('proposal/hunks', {id: view.proposal.id, text: join(edited, "\n"), revision: revision}, (result, problem) => {
    if problem ==# '' && type(get(result, 'text', v:null)) == v:t_string && IsShown(view) && TextOf(view) == edited
      text.SetBufferLines(view.new, split(result.text, "\n", true))
      win_execute(win_findbuf(view.new)[0], 'diffupdate')
    endif
  })
enddef

export def Progress(params: dict<any>): any
  if !has_key(views, params.id)
    return v:null
  endif
  var view = views[params.id]
  var kind = params.progress.kind
  view.isDecided = kind ==# 'decided'
  if kind ==# 'decided'
    HideView(view)
    ShowSoon()
  elseif kind ==# 'failed'
    view.isSent = false
    view.problem = params.progress.reason
    ShowNotes(view)
    connection.Say(printf('%s was not written: %s', NameOf(view), view.problem), 'ErrorMsg')
  elseif kind ==# 'undecided'
    view.isSent = false
    ShowSoon()
  endif
  return v:null
enddef

export def Close(params: dict<any>): any
  if has_key(views, params.id)
    var view = remove(views, params.id)
    order->filter((_, id) => id !=# params.id)
    End(view, params.outcome)
    ShowSoon()
  endif
  return v:null
enddef

# The bridge has gone, and with it all proposals.
export def CloseAll()
  for id in copy(order)
    Close({id: id, outcome: {kind: 'withdrawn', reason: 'the bridge has ended'}})
  endfor
enddef

def Received(proposal: dict<any>): dict<any>
  # Files of long texts are gone when the proposal ends or changes.
  return {proposal: proposal, isCompared: false, oldLines: text.LinesOf(proposal, 'oldText'),
    newLines: text.LinesOf(proposal, 'newText'), previousLines: text.LinesOf(Previous({proposal: proposal}), 'newText')}
enddef

def End(view: dict<any>, outcome: dict<any>)
  var name = NameOf(view)
  if get(outcome, 'kept', '') != ''
    connection.Say(printf('your text of %s is kept in %s', name, outcome.kept))
  elseif IsEdited(view) && !view.isSent
    KeepText(name, TextOf(view))
  endif
  if outcome.kind ==# 'withdrawn'
    connection.Say(printf('%s is withdrawn: %s', name, outcome.reason))
  endif
  HideView(view)
enddef

# In a listed buffer that is not written anywhere, for the user to look at.
def KeepText(name: string, lines: list<string>)
  var buf = bufadd('hawser-kept-' .. name .. '-' .. localtime())
  setbufvar(buf, '&buftype', 'nofile')
  noautocmd silent bufload(buf)
  setbufvar(buf, '&buflisted', 1)
  setbufvar(buf, '&bufhidden', 'hide')
  Fill(buf, lines)
  connection.Say(printf('your edited text of %s is in buffer %d', name, buf), 'WarningMsg')
enddef

# The view -----------------------------------------------------------------------

def ShowSoon()
  timer_stop(timer)
  timer = timer_start(0, (_) => ShowNext())
enddef

# Opens the next proposal, but never while the user types or another one is shown.
def ShowNext()
  var waiting = order->copy()->filter((_, id) => !views[id].isDecided && !IsShown(views[id]))
  var isOneShown = !order->copy()->filter((_, id) => IsShown(views[id]))->empty()
  if empty(waiting) || isOneShown
    return
  endif
  var view = views[waiting[0]]
  var showsItself = get(g:, 'hawser_show', 1)
  # Who is in a terminal may stay there for long.
  if (!showsItself || mode() ==# 't') && !get(view, 'isAnnounced', false)
    view.isAnnounced = true
    connection.Say(printf('%s; %s:Hawser review shows it', Announcement(view), mode() ==# 't' ? 'CTRL-W ' : ''))
  endif
  if showsItself && IsBusy()
    timer = timer_start(LOOK_AGAIN_MS, (_) => ShowNext())
  elseif showsItself
    ShowView(view)
  endif
enddef

def IsBusy(): bool
  return mode(1) !=# 'n' || state('moaxs') != '' || getcmdwintype() != '' || documents.IdleTime() < IDLE_SECONDS
enddef

def ShowView(view: dict<any>)
  var proposal = view.proposal
  var name = fnamemodify(text.PathOf(proposal.uri), ':t')
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
  connection.Say(Announcement(view))
enddef

augroup hawser_review
augroup END

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

def Fill(buf: number, lines: list<string>)
  var modifiable = getbufvar(buf, '&modifiable')
  setbufvar(buf, '&modifiable', 1)
  setbufvar(buf, '&fileformat', 'unix')
  text.SetBufferLines(buf, lines)
  setbufvar(buf, '&modified', 0)
  setbufvar(buf, '&modifiable', modifiable)
enddef

def Announcement(view: dict<any>): string
  var verbs = {edit: 'wants to change', delete: 'wants to delete', noticed: 'has changed', noticedDelete: 'has deleted', command: 'wants to run a command in'}
  var proposal = view.proposal
  var words = printf('%s %s %s', proposal.agent, proposal.isNewFile ? 'wants to make' : verbs[proposal.effect], NameOf(view))
  var set = get(proposal, 'set', v:null)
  if type(set) == v:t_dict
    words ..= printf(' (%d of %d)', set.index + 1, set.size)
  endif
  var advice = get(proposal, 'advice', '')
  return words .. (proposal.base ==# 'conflict' ? '. It undoes a change of the file' : '') .. (type(advice) == v:t_string && advice != '' ? '. ' .. advice : '')
enddef

def HideView(view: dict<any>)
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

def IsShown(view: dict<any>): bool
  return has_key(view, 'new') && !win_findbuf(view.new)->empty()
enddef

def NameOf(view: dict<any>): string
  return fnamemodify(text.PathOf(view.proposal.uri), ':t')
enddef

def TextOf(view: dict<any>): list<string>
  return text.BufferLines(view.new)
enddef

def IsEdited(view: dict<any>): bool
  return has_key(view, 'new') && bufexists(view.new) && TextOf(view) != view.newLines && !(TextOf(view) == [''] && view.newLines == ['', ''])
enddef

# Rounds -------------------------------------------------------------------------

# Of the round before, once the user has asked for changes.
def Previous(view: dict<any>): dict<any>
  var previous = get(view.proposal, 'previous', v:null)
  return type(previous) == v:t_dict ? previous : {}
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

# What the user has taken back, so that the next round takes it back again.
def MarksOf(view: dict<any>, hunks: list<list<number>>): list<string>
  return view.proposal.hunks->mapnew((_, hunk) => hunks->copy()->filter((_, other) => Touches(hunk, other))->empty() ? 'rejected' : 'undecided')
enddef

# Whether two hunks change the same lines of the file.
def Touches(one: list<number>, other: list<number>): bool
  var room = one[1] == 0 || other[1] == 0 ? 1 : 0
  return one[0] < other[0] + other[1] + room && other[0] < one[0] + one[1] + room
enddef

# Shows what was proposed in the round before on the left, or the file again.
export def Compare()
  var view = Current()
  if !has_key(Previous(view), 'newText') && !has_key(Previous(view), 'newTextFile')
    throw 'there is no round before this one'
  endif
  view.isCompared = !get(view, 'isCompared', false)
  Fill(view.old, view.isCompared ? view.previousLines : view.oldLines)
  var window = win_findbuf(view.old)[0]
  setwinvar(window, '&statusline', view.isCompared ? printf(' %%t: as it was in round %d', Previous(view).round) : AS_IT_IS)
  win_execute(window, 'diffupdate')
  ShowNotes(view)
enddef

# Decisions ----------------------------------------------------------------------

# The proposal of this buffer, else the one that is shown, else the first that waits.
def Current(): dict<any>
  var id = get(b:, 'hawser_id', '')
  var shown = order->copy()->filter((_, each) => IsShown(views[each]))
  var found = has_key(views, id) ? id : get(shown, 0, '')
  if found == ''
    throw 'no proposal is shown; :Hawser review shows the next one'
  endif
  return views[found]
enddef

export def Find(id: string): dict<any>
  return get(views, id, {})
enddef

export def Accept()
  Decide(Current(), {kind: 'accepted'})
enddef

export def Reject()
  Decide(Current(), {kind: 'rejected'})
enddef

# With the notes, and this one on the whole proposal.
export def Ask(given: string)
  var view = Current()
  CheckNotes(view)
  var words = given != '' || !empty(view.notes) ? given : input('What should change? ')
  if words == '' && empty(view.notes)
    return
  endif
  if words != ''
    view.notes->add({text: words})
  endif
  Decide(view, {kind: 'changesRequested'})
enddef

# Goes to the proposal that is shown, or shows the first that waits.
export def Reveal()
  var shown = order->copy()->filter((_, id) => IsShown(views[id]))
  var waiting = order->copy()->filter((_, id) => !views[id].isDecided)
  if !empty(shown)
    win_gotoid(win_findbuf(views[shown[0]].new)[0])
  elseif !empty(waiting)
    ShowView(views[waiting[0]])
  else
    connection.Say('no proposal waits')
  endif
enddef

export def Decide(view: dict<any>, decision: dict<any>)
  if view.isSent
    connection.Say('this proposal is decided already')
    return
  endif
  if IsEdited(view)
    var lines = TextOf(view)
    if match(lines, "\n") >= 0
      throw 'a text with U+0000 that you have edited can''t be sent; undo your edit first'
    endif
    decision.text = join(lines, "\n")
  endif
  if !empty(view.notes) && !has_key(decision, 'notes')
    decision.notes = view.notes->mapnew((_, note) => note->copy()->filter((key, _) => key !=# 'prop'))
  endif
  view.isSent = true
  # :quit does not ask about a text that was sent.
  if has_key(view, 'new')
    setbufvar(view.new, '&modified', 0)
  endif
  if decision.kind ==# 'changesRequested' && has_key(decision, 'text')
    connection.Request('proposal/hunks', {id: view.proposal.id, text: decision.text}, (result, problem) => {
      Send(view, problem ==# '' ? extend({marks: MarksOf(view, result.hunks)}, decision) : decision)
    })
  else
    Send(view, decision)
  endif
enddef

def Send(view: dict<any>, decision: dict<any>)
  var id = view.proposal.id
  connection.Request('proposal/decide', {id: id, revision: view.proposal.revision, decision: decision}, (result, error) => {
    Decided(id, result, error)
  })
enddef

def Decided(id: string, result: any, error: string)
  if error != ''
    connection.Say(error, 'ErrorMsg')
  elseif result.kind ==# 'stale'
    connection.Say('the file has changed; look again', 'WarningMsg')
  elseif result.kind ==# 'failed'
    connection.Say(result.reason, 'ErrorMsg')
  elseif result.kind ==# 'waiting' && has_key(views, id)
    views[id].isDecided = true
    HideView(views[id])
    connection.Say(printf('%d of %d decided; they are written together', result.decided, result.size))
    ShowSoon()
  endif
  if has_key(views, id) && (error != '' || index(['stale', 'failed'], result.kind) >= 0)
    views[id].isSent = false
    # A view that the user has closed is shown again.
    ShowSoon()
  endif
enddef

# :wq and :x accept. :w alone decides nothing: no end of the view follows it at once.
export def Written(id: string)
  setbufvar(views[id].new, '&modified', 0)
  ExpectEnd(views[id])
enddef

# :x writes only what is modified, and a proposal that was not edited is not.
export def Entered(id: string)
  if expand('<afile>') ==# ':' && has_key(views, id) && getcmdline() =~# '^\s*\%(x\%[it]\|exi\%[t]\)\s*$'
    ExpectEnd(views[id])
  endif
enddef

def ExpectEnd(view: dict<any>)
  view.isWriting = true
  timer_start(0, (_) => {
    view.isWriting = false
    if IsShown(view) && !view.isSent
      connection.Say('ZZ accepts, ZQ rejects')
    endif
  })
enddef

# Closing the view without a decision rejects; Vim's own end does not.
export def CheckDismissed(id: string)
  var kind = has_key(views, id) && get(views[id], 'isWriting', false) ? 'accepted' : 'rejected'
  timer_start(0, (_) => {
    if has_key(views, id) && has_key(views[id], 'new') && !IsShown(views[id]) && !views[id].isSent
      Decide(views[id], {kind: kind})
    endif
  })
enddef

# Notes --------------------------------------------------------------------------

# On lines of the side that the cursor is in, or on the whole proposal.
export def Note(given: string, isWhole: bool, first: number, last: number)
  var view = Current()
  CheckNotes(view)
  if get(view, 'isCompared', false) && !isWhole && view.old == bufnr()
    throw 'this is the text of the round before; :Hawser compare shows the file again'
  endif
  var side = get(view, 'old', 0) == bufnr() ? 'old' : 'new'
  var from = first > 0 ? first : line('.')
  var to = first > 0 ? last : line('.')
  var words = given != '' ? given : input('Note: ')
  if words == ''
    return
  endif
  AddNote(view, isWhole ? {text: words} : {text: words, lines: {side: side, first: from - 1, count: to - from + 1}})
enddef

export def AddNote(view: dict<any>, note: dict<any>)
  view.notes->add(note)
  ShowNotes(view)
enddef

export def RemoveNote()
  var view = Current()
  var side = get(view, 'old', 0) == bufnr() ? 'old' : 'new'
  var at = line('.') - 1
  var before = len(view.notes)
  view.notes->filter((_, note) => !IsOnLine(note, side, at))
  ShowNotes(view)
  connection.Say(len(view.notes) < before ? 'the note is removed' : 'there is no note on this line')
enddef

def IsOnLine(note: dict<any>, side: string, at: number): bool
  return has_key(note, 'lines') && note.lines.side ==# side && at >= note.lines.first && at < note.lines.first + note.lines.count
enddef

def CheckNotes(view: dict<any>)
  if view.proposal.noteDelivery ==# 'none'
    throw view.proposal.agent .. ' can''t get notes'
  endif
enddef

# The notes below their lines, those of the round before, and why it was not written.
def ShowNotes(view: dict<any>)
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
