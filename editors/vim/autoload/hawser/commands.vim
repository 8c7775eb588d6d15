vim9script
# `:Hawser {subcommand}`.
import './connection.vim'
import './documents.vim'
import './review.vim'
import './session.vim'

export def Run(arguments: string, bang: number, range: number, line1: number, line2: number)
  var name = matchstr(arguments, '^\S\+') ?? 'status'
  if !has_key(subcommands, name)
    connection.Say(printf('there is no :Hawser %s; :help hawser-commands lists them', name), 'WarningMsg')
    return
  endif
  var hasRange = range > 0
  try
    subcommands[name]({words: matchstr(arguments, '^\S\+\s\+\zs.*'), bang: !!bang,
      first: hasRange ? line1 : 0, last: hasRange ? line2 : 0})
  catch
    connection.Say(substitute(v:exception, '^Vim\%((\a\+)\)\=:', '', ''), 'ErrorMsg')
  endtry
enddef

export def Complete(lead: string, line: string, position: number): list<string>
  if strpart(line, 0, position) =~ 'Hawser!\=\s\+\S\+\s'
    return line =~ '\<agent\s' ? getcompletion(lead, 'shellcmd') : []
  endif
  return keys(subcommands)->filter((_, name) => stridx(name, lead) == 0)->sort()
enddef

def Do(command: string)
  if get(b:, 'hawser_id', '') == ''
    throw 'no proposal is shown here; :Hawser review goes to it'
  endif
  execute command
enddef

def ShowStatus()
  var status = session.Status()
  if !connection.IsOpen() || empty(status)
    echo 'Hawser: stopped; :Hawser start starts it'
    return
  endif
  echo 'Hawser: running' .. (status.paused ? ', paused' : '')
  for agent in status.agents
    echo printf('  agent: %s %s, %s', agent.name, get(agent, 'version', ''), agent.state)
  endfor
  if empty(status.agents)
    echo '  no agent is connected'
  endif
  echo printf('  proposals open: %d', status.proposals)
enddef

def ShowLog()
  var lines = connection.LogLines()
  if empty(lines)
    connection.Say('the log is empty')
    return
  endif
  botright new
  setlocal buftype=nofile bufhidden=wipe noswapfile
  setline(1, lines)
  normal! G
enddef

# The review in the browser.
def OpenPage()
  connection.Request('review/openPage', {open: true}, (result, problem) => {
    if problem !=# ''
      connection.Say(problem, 'ErrorMsg')
    else
      connection.Say(result.isOpen ? 'the review is open in your browser' : 'open this link, once: ' .. result.link)
    endif
  })
enddef

# In a terminal in which the agent finds this bridge.
def StartAgent(words: string)
  if !has('terminal')
    throw 'this Vim has no +terminal; start the agent in another one, with hawser run'
  elseif !connection.IsOpen()
    throw 'the bridge is not running; :Hawser start starts it'
  endif
  var environment = get(session.Status(), 'environment', {})
  term_start(words ?? get(g:, 'hawser_agent', 'claude'), {vertical: true, env: type(environment) == v:t_dict ? environment : {}})
enddef

# By name; each gets {words, bang, first, last}: what follows the name, and the range, which is 0 if there is none.
var subcommands: dict<func> = {
  status: (_) => ShowStatus(),
  start: (_) => session.Start(),
  stop: (_) => session.Stop(),
  restart: (_) => session.Restart(),
  send: (given) => documents.Mention(given.first, given.last),
  accept: (_) => review.Accept(),
  reject: (_) => review.Reject(),
  ask: (given) => review.Ask(given.words),
  note: (given) => review.Note(given.words, given.bang, given.first, given.last),
  'remove-note': (_) => review.RemoveNote(),
  'accept-hunk': (_) => Do('normal! ]c'),
  'reject-hunk': (_) => Do('diffget'),
  'undo-hunk': (_) => Do('undo'),
  'next-hunk': (_) => Do('normal! ]c'),
  'prev-hunk': (_) => Do('normal! [c'),
  review: (_) => review.Reveal(),
  compare: (_) => review.Compare(),
  pause: (_) => session.TogglePause(),
  web: (_) => OpenPage(),
  log: (_) => ShowLog(),
  agent: (given) => StartAgent(given.words),
}
