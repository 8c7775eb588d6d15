vim9script
# What the bridge is told about Vim's documents, and what the user selects in them.
import './connection.vim'
import './selection.vim'
import './text.vim'

const PAUSE_MS = 50

# What was sent last, by method.
var sent: dict<dict<any>> = {}
var timers: dict<number> = {}
var lastActive = 0
var movedAt = reltime()

export def Forget()
  sent = {}
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

export def SendDocuments()
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
    SendIfNew('editor/didChangeSelection', extend({uri: UriOfBuffer(active)}, selection.Current()))
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

export def PathOfBuffer(buf: number): string
  return fnamemodify(bufname(buf), ':p')
enddef

export def UriOfBuffer(buf: number): string
  return text.UriOf(PathOfBuffer(buf))
enddef

# The buffer of an open document, or 0.
export def FindBuffer(path: string): number
  var real = resolve(path)
  for info in getbufinfo({buflisted: 1})
    if IsFile(info.bufnr) && resolve(info.name) ==# real
      return info.bufnr
    endif
  endfor
  return 0
enddef

# The same, but throws if there is none.
export def BufferOf(uri: string): number
  var path = text.PathOf(uri)
  var buf = FindBuffer(path)
  if buf == 0
    throw 'It is not open: ' .. path
  endif
  return buf
enddef
