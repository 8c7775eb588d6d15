vim9script
# Start and end of the bridge, and what is said about it.
import './connection.vim'
import './diagnostics.vim'
import './documents.vim'
import './files.vim'
import './review.vim'

var status: dict<any> = {}
var isStopping = false
var startsAgain = false

# Hands of tests; see docs/editor-protocol.md.
var testHands: list<string> = []

export def Status(): dict<any>
  return status
enddef

export def AddTestHands(hands: dict<func(dict<any>): any>)
  for [name, Hand] in items(hands)
    connection.Handle(name, Hand)
  endfor
  testHands = keys(hands)
enddef

export def Start()
  if connection.IsOpen()
    connection.Say('the bridge runs already')
    return
  endif
  var command = get(g:, 'hawser_command', ['hawser', 'editor'])
  if !executable(command[0])
    connection.Say(command[0] .. ' is not on PATH: npm install -g hawser, or set g:hawser_command', 'ErrorMsg')
    return
  elseif &encoding !=# 'utf-8'
    connection.Say('it needs :set encoding=utf-8 in your vimrc', 'ErrorMsg')
    return
  endif
  isStopping = false
  documents.Forget()
  diagnostics.Forget()
  HandleRequests()
  connection.Open(command, Ended)
  connection.Request('initialize', {
    protocolVersion: 1,
    processId: getpid(),
    clientInfo: {name: 'Vim', version: printf('%d.%d.%d', v:version / 100, v:version % 100, v:versionlong % 10000)},
    workspaceFolders: documents.Folders(),
    capabilities: Capabilities(),
  }, Started)
enddef

export def Stop()
  if !connection.IsOpen()
    connection.Say('the bridge is not running')
    return
  endif
  isStopping = true
  connection.Request('shutdown', {}, (_: any, _: string) => {
    connection.Notify('exit', {})
  })
enddef

export def Restart()
  startsAgain = connection.IsOpen()
  if startsAgain
    Stop()
  else
    Start()
  endif
enddef

export def TogglePause()
  if !connection.IsOpen()
    throw 'the bridge is not running; :Hawser start starts it'
  endif
  var paused = !get(status, 'paused', false)
  connection.Notify('editor/pause', {paused: paused})
  connection.Say(paused ? 'paused; agents see nothing until :Hawser pause' : 'no longer paused')
enddef

def Capabilities(): dict<any>
  var capabilities: dict<any> = {
    showDocument: true, documents: true, save: true, close: true, writeText: true, reload: true, textFiles: 262144,
    diagnostics: DiagnosticsFrom() !=# 'none',
    proposals: {rounds: true, effects: ['edit', 'delete', 'noticed', 'noticedDelete', 'command']},
  }
  return empty(testHands) ? capabilities : extend(capabilities, {test: testHands})
enddef

def DiagnosticsFrom(): string
  return get(g:, 'hawser_diagnostics', diagnostics.HasAle() ? 'ale' : 'quickfix')
enddef

def HandleRequests()
  connection.Handle('window/showDocument', files.Show)
  connection.Handle('editor/save', files.Save)
  connection.Handle('editor/close', files.Close)
  connection.Handle('editor/writeText', files.WriteText)
  connection.Handle('workspace/didChangeWatchedFiles', files.ReloadChanged)
  connection.Handle('window/showMessage', ShowMessage)
  connection.Handle('bridge/status', SetStatus)
  connection.Handle('proposal/show', review.Show)
  connection.Handle('proposal/update', review.Update)
  connection.Handle('proposal/progress', review.Progress)
  connection.Handle('proposal/close', review.Close)
enddef

def Started(_: any, error: string)
  if error != ''
    connection.Say(error, 'ErrorMsg')
    connection.Notify('exit', {})
    return
  endif
  augroup hawser
    autocmd!
    autocmd CursorMoved,CursorMovedI,ModeChanged * documents.SendSelectionSoon()
    autocmd BufEnter * documents.SendSelectionSoon()
    autocmd BufEnter,BufAdd,BufDelete,BufFilePost,BufReadPost,TextChanged,TextChangedI * documents.SendDocumentsSoon()
    autocmd BufWritePost * documents.SendSaved(str2nr(expand('<abuf>')))
    autocmd DirChanged global documents.SendFolders()
    if DiagnosticsFrom() ==# 'ale'
      autocmd User ALELintPost diagnostics.ReportAle(bufnr())
    elseif DiagnosticsFrom() ==# 'quickfix'
      autocmd QuickFixCmdPost [^l]* diagnostics.ReportQuickfix()
    endif
  augroup END
  connection.Notify('initialized', {})
  documents.SendState()
  SetStatus({agents: [], paused: false, proposals: 0, environment: {}})
  Fire('HawserStarted')
enddef

def Fire(event: string)
  if exists('#User#' .. event)
    execute 'doautocmd <nomodeline> User' event
  endif
enddef

def Ended(code: number)
  augroup hawser
    autocmd!
  augroup END
  status = {}
  g:hawser_statusline = ''
  redrawstatus!
  review.CloseAll()
  if !isStopping
    connection.Say(printf('the bridge has ended (%d). %s', code, get(connection.LogLines(), -1, ':Hawser start starts it again')), 'WarningMsg')
  endif
  Fire('HawserStopped')
  if startsAgain
    startsAgain = false
    Start()
  endif
enddef

def ShowMessage(params: dict<any>): any
  connection.Say(params.message, get({1: 'ErrorMsg', 2: 'WarningMsg'}, params.type, 'None'))
  return v:null
enddef

def SetStatus(params: dict<any>): any
  status = params
  var words = params.paused ? ['paused'] : []
  if params.proposals > 0
    words->add(params.proposals == 1 ? '1 proposal' : params.proposals .. ' proposals')
  endif
  var agents = params.agents->mapnew((_, agent) => agent.name)
  g:hawser_statusline = '[' .. join(['Hawser'] + agents + words, ', ') .. ']'
  redrawstatus!
  return v:null
enddef
