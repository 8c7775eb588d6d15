vim9script
# What the bridge knows about Vim's documents, and what it does with them.
import './connection.vim'
import './text.vim'

const MAX_SELECTED = 1048576
const PAUSE_MS = 50

# What was sent last, by method.
var sent: dict<dict<any>> = {}
var timers: dict<number> = {}
var lastActive = 0
var movedAt = reltime()
# Files with problems that the bridge knows.
var reported: dict<bool> = {}

# State ------------------------------------------------------------------------

export def Forget()
  sent = {}
  reported = {}
enddef

export def SendState()
  SendDocuments()
  SendSelection()
enddef

# After a pause, because these events come with each key.
export def SendDocumentsSoon()
  Soon('documents', SendDocuments)
enddef

export def SendSelectionSoon()
  movedAt = reltime()
  Soon('selection', SendSelection)
enddef

# Seconds since the cursor moved or the mode changed.
export def IdleTime(): float
  return reltimefloat(reltime(movedAt))
enddef

def Soon(what: string, Send: func())
  if !has_key(timers, what)
    timers[what] = timer_start(PAUSE_MS, (_) => {
      remove(timers, what)
      Send()
    })
  endif
enddef

def SendIfNew(method: string, params: dict<any>)
  if get(sent, method, {}) != params
    sent[method] = params
    connection.Notify(method, params)
  endif
enddef

def SendDocuments()
  var active = ActiveBuffer()
  var documents: list<dict<any>> = []
  for info in getbufinfo({buflisted: 1})
    if IsUntitled(info)
      documents->add({uri: 'untitled:Untitled-' .. info.bufnr, lineCount: info.linecount, isDirty: true, isUntitled: true})
    elseif IsFile(info.bufnr)
      var document: dict<any> = {uri: UriOfBuffer(info.bufnr), isActive: info.bufnr == active, isDirty: !!info.changed}
      # The bridge counts the lines of a buffer that is not loaded.
      if info.loaded
        document.lineCount = LineCount(info)
      endif
      documents->add(document)
    endif
  endfor
  SendIfNew('editor/didChangeDocuments', {documents: documents})
enddef

def SendSelection()
  var active = ActiveBuffer()
  if active == 0
    SendIfNew('editor/didChangeSelection', {uri: v:null})
  elseif active == bufnr()
    SendIfNew('editor/didChangeSelection', Selection())
  endif
enddef

export def SendFolders()
  connection.Notify('editor/didChangeFolders', {workspaceFolders: Folders()})
enddef

export def Folders(): list<dict<any>>
  var folder = getcwd(-1)
  return [{uri: text.UriOf(folder), name: fnamemodify(folder, ':t')}]
enddef

export def SendSaved(buf: number)
  if IsFile(buf)
    connection.Notify('editor/didSave', {uri: UriOfBuffer(buf)})
    SendDocumentsSoon()
  endif
enddef

# Points agents to the current file, or to lines of it.
export def Mention(first: number, last: number)
  if !IsFile(bufnr())
    throw 'there is no file here to send'
  endif
  var params: dict<any> = {uri: UriOfBuffer(bufnr())}
  if first > 0
    params.range = {start: {line: first - 1, character: 0}, end: {line: last - 1, character: text.Units(getline(last))}}
  endif
  connection.Notify('editor/mention', params)
enddef

# Files that the user edits: not terminals, help, trees or texts of other plugins.
def IsFile(buf: number): bool
  var name = bufname(buf)
  return buf > 0 && buflisted(buf) && getbufvar(buf, '&buftype') == '' && name != '' && name !~ '^\a\+://' && !isdirectory(name)
enddef

def IsUntitled(info: dict<any>): bool
  return info.name == '' && info.changed && getbufvar(info.bufnr, '&buftype') == ''
enddef

# The file that the user looks at, or did before a terminal or a tree.
def ActiveBuffer(): number
  if IsFile(bufnr())
    lastActive = bufnr()
  endif
  return IsFile(lastActive) ? lastActive : 0
enddef

def LineCount(info: dict<any>): number
  if info.linecount == 1 && getbufline(info.bufnr, 1) == ['']
    return 1
  endif
  return info.linecount + (getbufvar(info.bufnr, '&endofline') ? 1 : 0)
enddef

def PathOfBuffer(buf: number): string
  return fnamemodify(bufname(buf), ':p')
enddef

def UriOfBuffer(buf: number): string
  return text.UriOf(PathOfBuffer(buf))
enddef

def FindBuffer(path: string): number
  var real = resolve(path)
  for info in getbufinfo({buflisted: 1})
    if IsFile(info.bufnr) && resolve(info.name) ==# real
      return info.bufnr
    endif
  endfor
  return 0
enddef

# The buffer of an open document; throws if there is none.
export def BufferOf(uri: string): number
  var path = text.PathOf(uri)
  var buf = FindBuffer(path)
  if buf == 0
    throw 'It is not open: ' .. path
  endif
  return buf
enddef

# Selection ----------------------------------------------------------------------

def Selection(): dict<any>
  var uri = UriOfBuffer(bufnr())
  var kind = mode()[0]
  var from = getpos('v')[1 : 2]
  var to = getpos('.')[1 : 2]
  if kind !~# "[vV\<C-V>]"
    var at = PositionOf(to[0], to[1] - 1)
    return {uri: uri, range: {start: at, end: at}, text: ''}
  endif
  if from[0] > to[0] || (from[0] == to[0] && from[1] > to[1])
    [from, to] = [to, from]
  endif
  var [first, last] = [from[0], to[0]]
  # A block is sent as the lines that it is in.
  var startByte = kind ==# 'v' ? from[1] - 1 : 0
  var endByte = kind ==# 'v' ? to[1] - 1 : len(getline(last))
  var hasLineEnd = false
  if kind ==# 'v' && &selection !=# 'exclusive'
    hasLineEnd = endByte >= len(getline(last)) && (last < line('$') || &endofline)
    endByte += len(matchstr(getline(last), '.', endByte))
  endif
  if line2byte(last) + endByte - line2byte(first) - startByte > MAX_SELECTED
    last = max([byte2line(line2byte(first) + startByte + MAX_SELECTED) - 1, first])
    endByte = last == first ? startByte + MAX_SELECTED / 4 : len(getline(last))
    hasLineEnd = false
  endif
  var lines = getline(first, last)
  lines[-1] = strpart(lines[-1], 0, endByte)
  lines[0] = strpart(lines[0], startByte)
  if hasLineEnd
    lines->add('')
  endif
  # A line end inside a line is how Vim shows U+0000.
  lines->map((_, line) => substitute(line, "\n", "\uFFFD", 'g'))
  var end = hasLineEnd ? {line: last, character: 0} : PositionOf(last, endByte)
  return {uri: uri, range: {start: PositionOf(first, startByte), end: end}, text: join(lines, &fileformat == 'dos' ? "\r\n" : "\n")}
enddef

def PositionOf(lnum: number, byte: number): dict<number>
  return {line: lnum - 1, character: text.Units(strpart(getline(lnum), 0, byte))}
enddef

# Selects in the current buffer. A position outside the text means the nearest one in it.
export def Select(range: dict<any>)
  var [first, startByte] = PlaceOf(range.start)
  var [last, endByte] = PlaceOf(range.end)
  var virtualedit = &virtualedit
  &virtualedit = 'onemore'
  try
    cursor(first, startByte + 1)
    if [first, startByte] == [last, endByte]
      return
    endif
    normal! v
    if &selection ==# 'exclusive'
      cursor(last, endByte + 1)
      return
    endif
    # The end of a range is excluded, Vim's is not.
    if endByte == 0 && last > 1
      cursor(last - 1, 1)
      normal! $
      return
    endif
    var line = getline(last)
    cursor(last, endByte > len(line) ? endByte : byteidx(line, charidx(line, endByte - 1)) + 1)
    if endByte > len(line)
      normal! $
    endif
  finally
    &virtualedit = virtualedit
  endtry
enddef

def PlaceOf(position: dict<any>): list<number>
  if position.line >= line('$')
    return [line('$'), len(getline('$')) + (&endofline ? 1 : 0)]
  endif
  return [position.line + 1, text.ByteOf(getline(position.line + 1), position.character)]
enddef

# Requests -----------------------------------------------------------------------

export def Show(params: dict<any>): dict<any>
  var path = text.PathOf(params.uri)
  var buf = FindBuffer(path)
  if buf == 0
    if !filereadable(path)
      throw (isdirectory(path) ? 'It is a folder: ' : 'It can''t be read: ') .. path
    endif
    buf = AddBuffer(path)
  endif
  if get(params, 'takeFocus', false)
    if mode() !=# 'n'
      execute "normal! \<Esc>"
      stopinsert
    endif
    GoToFileWindow()
    execute 'hide buffer' buf
    var range = get(params, 'selection', v:null)
    if type(range) == v:t_dict
      Select(range)
    endif
  endif
  SendState()
  return {success: true}
enddef

export def Save(params: dict<any>): any
  var buf = BufferOf(params.uri)
  CheckWritable(buf)
  if IsChangedOnDisk(buf)
    throw 'It has changed on disk: ' .. PathOfBuffer(buf)
  endif
  ExecuteIn(buf, 'silent write')
  if getbufvar(buf, '&modified')
    throw 'It was not written: ' .. PathOfBuffer(buf)
  endif
  SendDocuments()
  return v:null
enddef

export def Close(params: dict<any>): any
  var buf = BufferOf(params.uri)
  if getbufvar(buf, '&modified')
    throw PathOfBuffer(buf) .. ' has unsaved text'
  endif
  execute 'silent bdelete' buf
  SendState()
  return v:null
enddef

export def WriteText(params: dict<any>): any
  var path = text.PathOf(params.uri)
  var lines = text.LinesOf(params, 'text')
  var isNew = get(params, 'isNewFile', false)
  if isNew && getftype(path) != ''
    throw 'There is a file already: ' .. path
  elseif !isNew && !filereadable(path)
    throw 'It is no file that can be read: ' .. path
  endif
  var buf = FindBuffer(path)
  var wasOpen = buf > 0
  if wasOpen && getbufvar(buf, '&modified')
    throw path .. ' has unsaved text'
  endif
  if !wasOpen
    if isNew
      mkdir(fnamemodify(path, ':h'), 'p')
    endif
    buf = AddBuffer(path)
  endif
  try
    if !isNew
      Reload(buf)
      CheckWritable(buf)
      if FileLines(buf) != text.LinesOf(params, 'expected')
        throw 'It has changed on disk: ' .. path
      endif
    elseif !getbufvar(buf, '&modifiable')
      throw 'It can''t be modified in Vim: ' .. path
    endif
    WriteLines(buf, lines)
  catch
    if !wasOpen
      execute 'silent! bwipeout!' buf
    endif
    throw v:exception
  endtry
  SendSaved(buf)
  SendState()
  return v:null
enddef

# Brings documents up to date that have no unsaved text.
export def ReloadChanged(params: dict<any>): any
  for change in params.changes
    var buf = FindBuffer(text.PathOf(change.uri))
    if buf > 0 && !getbufvar(buf, '&modified')
      Reload(buf)
    endif
  endfor
  SendDocuments()
  return v:null
enddef

def AddBuffer(path: string): number
  var buf = bufadd(path)
  # Another Vim may have it open: its swap file would be a question, and Vim would stand still.
  autocmd hawser_disk SwapExists * v:swapchoice = 'e'
  try
    silent bufload(buf)
  finally
    autocmd! hawser_disk SwapExists
  endtry
  setbufvar(buf, '&buflisted', 1)
  return buf
enddef

def GoToFileWindow()
  var here = win_getid()
  for window in [here] + gettabinfo(tabpagenr())[0].windows + getwininfo()->mapnew((_, info) => info.winid)
    if getbufvar(winbufnr(window), '&buftype') == '' && !getwinvar(window, '&previewwindow') && !getwinvar(window, '&diff')
      win_gotoid(window)
      return
    endif
  endfor
  tab split
enddef

def CheckWritable(buf: number)
  var path = PathOfBuffer(buf)
  # For root, every file is writable.
  if getftype(path) != '' && (!filewritable(path) || getfperm(path) !~ 'w') || getbufvar(buf, '&readonly')
    throw 'It is read-only: ' .. path
  elseif !getbufvar(buf, '&modifiable')
    throw 'It can''t be modified in Vim: ' .. path
  endif
enddef

def FileLines(buf: number): list<string>
  # Vim has one empty line for both of these.
  if getbufline(buf, 1, '$') == ['']
    return getfsize(PathOfBuffer(buf)) == 0 ? [''] : ['', '']
  endif
  return text.BufferLines(buf)
enddef

def WriteLines(buf: number, lines: list<string>)
  var fixendofline = getbufvar(buf, '&fixendofline')
  setbufvar(buf, '&fixendofline', 0)
  try
    text.SetFileLines(buf, lines)
    if lines == ['']
      # One empty line is written as a line end, but for this.
      setbufvar(buf, '&endofline', 0)
    endif
    # What was accepted is what is written: autocommands run afterwards.
    ExecuteIn(buf, 'noautocmd silent write!')
  catch
    ExecuteIn(buf, 'silent! undo')
    setbufvar(buf, '&modified', 0)
    throw printf('%s was not written: %s', PathOfBuffer(buf), v:exception)
  finally
    setbufvar(buf, '&fixendofline', fixendofline)
  endtry
  if lines == ['']
    setbufvar(buf, '&endofline', 1)
    setbufvar(buf, '&modified', 0)
  endif
  ExecuteIn(buf, 'silent! doautocmd <nomodeline> BufWritePost')
enddef

# In a window that shows the buffer, or in one that nobody sees: what the user does goes on undisturbed.
def ExecuteIn(buf: number, command: string)
  var windows = win_findbuf(buf)
  var popup = empty(windows) ? popup_create(buf, {hidden: true}) : 0
  try
    win_execute(popup > 0 ? popup : windows[0], command)
  finally
    if popup > 0
      popup_close(popup)
    endif
  endtry
enddef

# Files on disk --------------------------------------------------------------------

var isChanged = false
var reaction = ''

# getftime() knows whole seconds; :checktime compares as Vim itself does before it writes.
def CheckTime(buf: number, choice: string)
  isChanged = false
  reaction = choice
  execute printf('autocmd hawser_disk FileChangedShell <buffer=%d> hawser#documents#FileChanged()', buf)
  try
    execute 'silent checktime' buf
  finally
    execute printf('autocmd! hawser_disk FileChangedShell <buffer=%d>', buf)
  endtry
enddef

augroup hawser_disk
augroup END

export def FileChanged()
  isChanged = true
  v:fcs_choice = v:fcs_reason ==# 'deleted' ? '' : reaction
enddef

def IsChangedOnDisk(buf: number): bool
  CheckTime(buf, '')
  return isChanged
enddef

def Reload(buf: number)
  silent bufload(buf)
  CheckTime(buf, 'reload')
enddef

# Diagnostics ----------------------------------------------------------------------

export def HasAle(): bool
  return exists('g:loaded_ale_dont_use_this_in_other_plugins_please')
enddef

# The problems of one buffer, from ALE.
export def ReportAle(buf: number)
  Report({[buf]: call('ale#engine#GetLoclist', [buf])->mapnew((_, item) => extend({end_col: get(item, 'end_col', item.col - 1) + 1}, item, 'keep'))}, [buf])
enddef

# All problems of the quickfix list.
export def ReportQuickfix()
  var items: dict<list<dict<any>>> = {}
  for item in getqflist()
    if item.valid && item.lnum > 0 && item.bufnr > 0
      items[item.bufnr] = get(items, item.bufnr, [])->add(item)
    endif
  endfor
  Report(items, (keys(items) + keys(reported))->mapnew((_, buf) => str2nr(buf)))
enddef

def Report(items: dict<list<dict<any>>>, buffers: list<number>)
  for buf in buffers->copy()->sort('n')->uniq()
    if bufname(buf) != ''
      var problems = get(items, buf, [])->mapnew((_, item) => DiagnosticOf(buf, item))
      reported[buf] = true
      connection.Notify('textDocument/publishDiagnostics', {uri: UriOfBuffer(buf), diagnostics: problems})
      if empty(problems)
        remove(reported, buf)
      endif
    endif
  endfor
enddef

def DiagnosticOf(buf: number, item: dict<any>): dict<any>
  var Position = (lnum: number, col: number): dict<number> => {
    var line = get(getbufline(buf, lnum), 0, '')
    return {line: lnum - 1, character: line == '' ? max([col - 1, 0]) : text.Units(strpart(line, 0, max([col - 1, 0])))}
  }
  var start = Position(item.lnum, item.col)
  var last = get(item, 'end_lnum', 0) > item.lnum ? item.end_lnum : item.lnum
  var endCol = get(item, 'end_col', 0)
  var severities = {E: 1, W: 2, I: 3, N: 4}
  var diagnostic: dict<any> = {
    message: trim(item.text),
    severity: get(severities, toupper(get(item, 'type', 'E')), 1),
    range: {start: start, end: last > item.lnum || endCol > item.col ? Position(last, endCol) : start},
  }
  if get(item, 'linter_name', '') != ''
    diagnostic.source = item.linter_name
  endif
  return diagnostic
enddef
