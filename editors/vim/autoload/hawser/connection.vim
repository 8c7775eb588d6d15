vim9script
# JSON-RPC with `hawser editor`, which runs as a job.

var bridge: job
# By id, what gets the answer to a request.
var waiting: dict<func(any, string)> = {}
var lastId = 0
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
  waiting = {}
  var incoming = {parts: [], length: 0, needed: 0}
  bridge = job_start(command, {
    # Not "lsp": Vim throws away what it has of a message if the rest is not there within 100 ms.
    in_mode: 'raw', out_mode: 'raw', err_mode: 'nl', noblock: 1,
    out_cb: (channel, bytes) => Read(channel, incoming, bytes),
    err_cb: (_, line) => Log(line),
    exit_cb: (_, code) => Ended(code),
  })
enddef

export def Notify(method: string, params: dict<any>)
  if IsOpen()
    Write(bridge, {method: method, params: params})
  endif
enddef

# `Answered` gets the result, or the error's message as the second argument.
export def Request(method: string, params: dict<any>, Answered: func(any, string))
  if !IsOpen()
    Answered(v:null, 'the bridge is not running; :Hawser start starts it')
    return
  endif
  lastId += 1
  waiting[string(lastId)] = Answered
  Write(bridge, {id: lastId, method: method, params: params})
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

def Write(channel: any, message: dict<any>)
  var body = json_encode(extend({jsonrpc: '2.0'}, message))
  ch_sendraw(channel, printf("Content-Length: %d\r\n\r\n", len(body)) .. body)
enddef

# A message may come in any number of parts. `needed` is its length, once that is known.
def Read(channel: channel, incoming: dict<any>, bytes: string)
  incoming.parts->add(bytes)
  incoming.length += len(bytes)
  while incoming.length >= incoming.needed
    var text = join(incoming.parts, '')
    var start = stridx(text, "\r\n\r\n") + 4
    if start < 4
      return
    endif
    var size = str2nr(matchstr(strpart(text, 0, start), '\ccontent-length: *\zs\d\+'))
    incoming.needed = start + size
    if incoming.length >= incoming.needed
      # Taken off first: while a handler works, Vim may read more.
      incoming->extend({parts: [strpart(text, start + size)], length: incoming.length - start - size, needed: 0})
      try
        Receive(channel, json_decode(strpart(text, start, size)))
      catch
        Say(v:exception, 'ErrorMsg')
      endtry
    endif
  endwhile
enddef

def Receive(channel: channel, message: dict<any>)
  if has_key(message, 'method')
    var answer = AnswerTo(message)
    if has_key(message, 'id')
      Write(channel, extend(answer, {id: message.id}))
    elseif has_key(answer, 'error') && answer.error.code != -32601
      Say(answer.error.message, 'WarningMsg')
    endif
  elseif has_key(waiting, string(get(message, 'id', '')))
    var Answered = remove(waiting, string(message.id))
    var error = get(message, 'error', v:null)
    if type(error) == v:t_dict
      Answered(v:null, error.message)
    else
      Answered(get(message, 'result', v:null), '')
    endif
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
