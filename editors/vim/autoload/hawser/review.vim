vim9script
# Proposals: which one is shown, and what the user decides. What is on the right when the user accepts is what is written.
import './connection.vim'
import './diff.vim'
import './documents.vim'
import './text.vim'

# How long the user has to be idle before a tab opens, and how often that is looked at.
const IDLE_SECONDS = 0.4
const LOOK_AGAIN_MS = 100

# By id: {proposal, isCompared, oldLines, newLines, previousLines, notes, problem, isSent, isDecided} and, once it is
# shown, {old, new, origin}: buffers and a window.
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
  var edited = diff.IsEdited(view) ? diff.TextOf(view) : []
  var revision = view.proposal.revision
  view->extend(Received(proposal))
  view.isSent = false
  view.problem = ''
  if !diff.IsShown(view)
    return {state: 'queued'}
  endif
  diff.Refresh(view, !empty(edited))
  if !empty(edited)
    Merge(view, edited, revision)
  endif
  connection.Say(printf('%s has changed; look again%s', diff.NameOf(view), empty(edited) ? '' : '. Your edited text is kept'), 'WarningMsg')
  return {state: 'shown'}
enddef

# Brings the change of the file into what the user has made of the revision before. If both changed the same lines, the
# text of the user stays.
def Merge(view: dict<any>, edited: list<string>, revision: number)
  connection.Request('proposal/hunks', {id: view.proposal.id, text: join(edited, "\n"), revision: revision}, (result, problem) => {
    if problem ==# '' && type(get(result, 'text', v:null)) == v:t_string && diff.IsShown(view) && diff.TextOf(view) == edited
      text.SetBufferLines(view.new, split(result.text, "\n", true))
      diff.Compare(view)
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
    diff.Hide(view)
    ShowSoon()
  elseif kind ==# 'failed'
    view.isSent = false
    view.problem = params.progress.reason
    diff.ShowNotes(view)
    connection.Say(printf('%s was not written: %s', diff.NameOf(view), view.problem), 'ErrorMsg')
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
    newLines: text.LinesOf(proposal, 'newText'), previousLines: text.LinesOf(diff.Previous({proposal: proposal}), 'newText')}
enddef

def End(view: dict<any>, outcome: dict<any>)
  var name = diff.NameOf(view)
  if get(outcome, 'kept', '') != ''
    connection.Say(printf('your text of %s is kept in %s', name, outcome.kept))
  elseif diff.IsEdited(view) && !view.isSent
    KeepText(view)
  endif
  if outcome.kind ==# 'withdrawn'
    connection.Say(printf('%s is withdrawn: %s', name, outcome.reason))
  endif
  diff.Hide(view)
enddef

# In a listed buffer that is not written anywhere, for the user to look at.
def KeepText(view: dict<any>)
  var name = diff.NameOf(view)
  # By its id, too: several of one name may end in the same second.
  var buf = bufadd(printf('hawser-kept-%s-%d-%s', name, localtime(), view.proposal.id))
  setbufvar(buf, '&buftype', 'nofile')
  noautocmd silent bufload(buf)
  setbufvar(buf, '&buflisted', 1)
  setbufvar(buf, '&bufhidden', 'hide')
  diff.Fill(buf, diff.TextOf(view))
  connection.Say(printf('your edited text of %s is in buffer %d', name, buf), 'WarningMsg')
enddef

# The view -----------------------------------------------------------------------

def ShowSoon()
  timer_stop(timer)
  timer = timer_start(0, (_) => ShowNext())
enddef

# Opens the next proposal, but never while the user types or another one is shown.
def ShowNext()
  var waiting = Waiting()
  if empty(waiting) || !Shown()->empty()
    return
  endif
  var view = waiting[0]
  var showsItself = get(g:, 'hawser_show', 1)
  # Who is in a terminal may stay there for long.
  if (!showsItself || mode() ==# 't') && !get(view, 'isAnnounced', false)
    view.isAnnounced = true
    connection.Say(printf('%s; %s:Hawser review shows it', Announcement(view), mode() ==# 't' ? 'CTRL-W ' : ''))
  endif
  if showsItself && IsBusy()
    timer = timer_start(LOOK_AGAIN_MS, (_) => ShowNext())
  elseif showsItself
    Open(view)
  endif
enddef

def Open(view: dict<any>)
  diff.Open(view)
  connection.Say(Announcement(view))
enddef

# The views in the order in which they came; one at most is on the screen.
def Shown(): list<dict<any>>
  return order->mapnew((_, id) => views[id])->filter((_, view) => diff.IsShown(view))
enddef

def Waiting(): list<dict<any>>
  return order->mapnew((_, id) => views[id])->filter((_, view) => !view.isDecided && !diff.IsShown(view))
enddef

def IsBusy(): bool
  return mode(1) !=# 'n' || state('moaxs') != '' || getcmdwintype() != '' || documents.IdleTime() < IDLE_SECONDS
enddef

def Announcement(view: dict<any>): string
  var verbs = {edit: 'wants to change', delete: 'wants to delete', noticed: 'has changed', noticedDelete: 'has deleted', command: 'wants to run a command in'}
  var proposal = view.proposal
  var words = printf('%s %s %s', proposal.agent, proposal.isNewFile ? 'wants to make' : verbs[proposal.effect], diff.NameOf(view))
  var set = get(proposal, 'set', v:null)
  if type(set) == v:t_dict
    words ..= printf(' (%d of %d)', set.index + 1, set.size)
  endif
  var advice = get(proposal, 'advice', '')
  return words .. (proposal.base ==# 'conflict' ? '. It undoes a change of the file' : '') .. (type(advice) == v:t_string && advice != '' ? '. ' .. advice : '')
enddef

# Decisions ----------------------------------------------------------------------

# The proposal of this buffer, else the one that is shown.
def Current(): dict<any>
  var view = get(views, get(b:, 'hawser_id', ''), get(Shown(), 0, {}))
  if empty(view)
    throw 'no proposal is shown; :Hawser review shows the next one'
  endif
  return view
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

# Shows what was proposed in the round before on the left, or the file again.
export def Compare()
  diff.ToggleRound(Current())
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
  var shown = Shown()
  var waiting = Waiting()
  if !empty(shown)
    win_gotoid(win_findbuf(shown[0].new)[0])
  elseif !empty(waiting)
    Open(waiting[0])
  else
    connection.Say('no proposal waits')
  endif
enddef

export def Decide(view: dict<any>, decision: dict<any>)
  if view.isSent
    connection.Say('this proposal is decided already')
    return
  endif
  if diff.IsEdited(view)
    var lines = diff.TextOf(view)
    if match(lines, "\n") >= 0
      throw 'a text with U+0000 that you have edited can''t be sent; undo your edit first'
    endif
    decision.text = join(lines, "\n")
  endif
  if !empty(view.notes)
    decision.notes = view.notes
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

# What the user has taken back, so that the next round takes it back again.
def MarksOf(view: dict<any>, hunks: list<list<number>>): list<string>
  return view.proposal.hunks->mapnew((_, hunk) => hunks->copy()->filter((_, other) => Touches(hunk, other))->empty() ? 'rejected' : 'undecided')
enddef

# Whether two hunks change the same lines of the file.
def Touches(one: list<number>, other: list<number>): bool
  var room = one[1] == 0 || other[1] == 0 ? 1 : 0
  return one[0] < other[0] + other[1] + room && other[0] < one[0] + one[1] + room
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
    diff.Hide(views[id])
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
    if diff.IsShown(view) && !view.isSent
      connection.Say('ZZ accepts, ZQ rejects')
    endif
  })
enddef

# Closing the view without a decision rejects; Vim's own end does not.
export def CheckDismissed(id: string)
  var kind = has_key(views, id) && get(views[id], 'isWriting', false) ? 'accepted' : 'rejected'
  timer_start(0, (_) => {
    if has_key(views, id) && has_key(views[id], 'new') && !diff.IsShown(views[id]) && !views[id].isSent
      Decide(views[id], {kind: kind})
    endif
  })
enddef

# Notes --------------------------------------------------------------------------

# On lines of the side that the cursor is in, or on the whole proposal.
export def Note(given: string, isWhole: bool, first: number, last: number)
  var view = Current()
  CheckNotes(view)
  if view.isCompared && !isWhole && view.old == bufnr()
    throw 'this is the text of the round before; :Hawser compare shows the file again'
  endif
  var side = SideHere(view)
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
  diff.ShowNotes(view)
enddef

export def RemoveNote()
  var view = Current()
  var side = SideHere(view)
  var at = line('.') - 1
  var before = len(view.notes)
  view.notes->filter((_, note) => !IsOnLine(note, side, at))
  diff.ShowNotes(view)
  connection.Say(len(view.notes) < before ? 'the note is removed' : 'there is no note on this line')
enddef

def SideHere(view: dict<any>): string
  return get(view, 'old', 0) == bufnr() ? 'old' : 'new'
enddef

def IsOnLine(note: dict<any>, side: string, at: number): bool
  return has_key(note, 'lines') && note.lines.side ==# side && at >= note.lines.first && at < note.lines.first + note.lines.count
enddef

def CheckNotes(view: dict<any>)
  if view.proposal.noteDelivery ==# 'none'
    throw view.proposal.agent .. ' can''t get notes'
  endif
enddef
