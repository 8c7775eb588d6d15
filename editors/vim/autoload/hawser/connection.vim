vim9script
# JSON-RPC with `hawser editor`, which runs as a job.

var bridge: job
var handlers: dict<func(dict<any>): any> = {}
var logged: list<string> = []

# What a handler returns is the result; what it throws, an error for the user. It never waits for the user.
export def Handle(method: string, Handler: func(dict<any>): any)
  handlers[method] = Handler
enddef

export def Handled(): list<string>
  return keys(handlers)
enddef

export def IsOpen(): bool
  return job_status(bridge) == 'run'
enddef

# Calls back with the exit code when it has ended.
export def Open(command: list<string>, Ended: func(number))
  logged = []
  bridge = job_start(command, {
    in_mode: 'lsp', out_mode: 'lsp', err_mode: 'nl', noblock: 1,
    out_cb: Receive,
    err_cb: (_, line) => Log(line),
    exit_cb: (_, code) => Ended(code),
  })
enddef

export def Notify(method: string, params: dict<any>)
  if IsOpen()
    ch_sendexpr(bridge, {method: method, params: params})
  endif
enddef

# `Answered` gets the result, or the error's message as the second argument.
export def Request(method: string, params: dict<any>, Answered: func(any, string))
  if !IsOpen()
    Answered(v:null, 'the bridge is not running; :Hawser start starts it')
    return
  endif
  ch_sendexpr(bridge, {method: method, params: params}, {callback: (_, answer) => {
    var error = get(answer, 'error', v:null)
    if type(error) == v:t_dict
      Answered(v:null, error.message)
    else
      Answered(get(answer, 'result', v:null), '')
    endif
  }})
enddef

# The last lines that the bridge wrote to stderr.
export def LogLines(): list<string>
  return logged
enddef

# One line; what is too long for the screen is whole in |:messages|.
export def Say(text: string, highlight = 'None')
  # What is still to be drawn would wipe the message away.
  if mode() !=# 'c'
    redraw
  endif
  execute 'echohl' highlight
  echomsg 'Hawser: ' .. substitute(text, '[[:cntrl:]]\+', ' ', 'g')
  echohl None
enddef

def Log(line: string)
  logged->add(line)
  if len(logged) > 500
    remove(logged, 0)
  endif
enddef

def Receive(channel: channel, message: any)
  # Answers that nothing waits for come here, too.
  if type(message) != v:t_dict || !has_key(message, 'method')
    return
  endif
  var answer = AnswerTo(message)
  if has_key(message, 'id')
    ch_sendexpr(channel, extend(answer, {id: message.id}))
  elseif has_key(answer, 'error') && answer.error.code != -32601
    Say(answer.error.message, 'WarningMsg')
  endif
enddef

def AnswerTo(message: dict<any>): dict<any>
  if !has_key(handlers, message.method)
    return {error: {code: -32601, message: 'Unknown: ' .. message.method}}
  endif
  var params = get(message, 'params', {})
  try
    # Whole seconds: Vim has no clock with smaller ones.
    if type(params) == v:t_dict && type(get(params, 'deadline', v:null)) == v:t_number && localtime() * 1000 > params.deadline
      throw 'Vim was busy for too long: ' .. get(params, 'uri', message.method)
    endif
    return {result: handlers[message.method](type(params) == v:t_dict ? params : {})}
  catch
    return {error: {code: -32603, message: substitute(v:exception, '^Vim\%((\a\+)\)\=:', '', '')}}
  endtry
enddef
