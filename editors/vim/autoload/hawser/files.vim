vim9script
# What the bridge asks for: files are shown, saved, closed, written and read again.
import './documents.vim'
import './selection.vim'
import './text.vim'

export def Show(params: dict<any>): dict<any>
  var path = text.PathOf(params.uri)
  var buf = documents.FindBuffer(path)
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
      selection.Select(range)
    endif
  endif
  documents.SendState()
  return {success: true}
enddef

export def Save(params: dict<any>): any
  var buf = documents.BufferOf(params.uri)
  CheckWritable(buf)
  if IsChangedOnDisk(buf)
    throw 'It has changed on disk: ' .. documents.PathOfBuffer(buf)
  endif
  ExecuteIn(buf, 'silent write')
  if getbufvar(buf, '&modified')
    throw 'It was not written: ' .. documents.PathOfBuffer(buf)
  endif
  documents.SendDocuments()
  return v:null
enddef

export def Close(params: dict<any>): any
  var buf = documents.BufferOf(params.uri)
  if getbufvar(buf, '&modified')
    throw documents.PathOfBuffer(buf) .. ' has unsaved text'
  endif
  execute 'silent bdelete' buf
  documents.SendState()
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
  var buf = documents.FindBuffer(path)
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
  documents.SendSaved(buf)
  documents.SendState()
  return v:null
enddef

# Brings documents up to date that have no unsaved text.
export def ReloadChanged(params: dict<any>): any
  for change in params.changes
    var buf = documents.FindBuffer(text.PathOf(change.uri))
    if buf > 0 && !getbufvar(buf, '&modified')
      Reload(buf)
    endif
  endfor
  documents.SendDocuments()
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
  var path = documents.PathOfBuffer(buf)
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
    return getfsize(documents.PathOfBuffer(buf)) == 0 ? [''] : ['', '']
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
    throw printf('%s was not written: %s', documents.PathOfBuffer(buf), v:exception)
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
  execute printf('autocmd hawser_disk FileChangedShell <buffer=%d> hawser#files#FileChanged()', buf)
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
