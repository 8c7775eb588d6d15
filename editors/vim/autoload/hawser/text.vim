vim9script
# Positions, paths and texts: what the protocol and Vim count and name differently.

# The length in UTF-16 code units. Vim counts bytes, and utf16idx() is newer than the oldest Vim that works.
export def Units(text: string): number
  var length = strchars(text)
  return length == len(text) ? length : length + str2list(text)->filter((_, char) => char > 0xffff)->len()
enddef

# The byte at which a UTF-16 column of a line begins.
export def ByteOf(line: string, units: number): number
  if strchars(line) == len(line)
    return min([units, len(line)])
  endif
  var at = 0
  var left = units
  for char in split(line, '\zs')
    if left <= 0
      break
    endif
    left -= Units(char)
    at += len(char)
  endfor
  return at
enddef

export def PathOf(uri: string): string
  if uri !~# '^file:///'
    throw 'It is no file: ' .. uri
  endif
  # Only "\xHH" in a string makes single bytes.
  return eval('"' .. escape(uri[7 :], '\"')->substitute('%\(\x\x\)', '\\x\1', 'g') .. '"')
enddef

export def UriOf(path: string): string
  var real = resolve(path)
  if real =~ '^[A-Za-z0-9/._~-]*$'
    return 'file://' .. real
  endif
  var bytes = range(len(real))->mapnew((_, at) => strpart(real, at, 1))
  return 'file://' .. bytes->map((_, byte) => byte =~ '[A-Za-z0-9/._~-]' ? byte : printf('%%%02X', char2nr(byte)))->join('')
enddef

# A text of a message as lines, with an empty last one if it ends with a line end. Longer texts come in a file.
export def LinesOf(params: dict<any>, member: string): list<string>
  var file = get(params, member .. 'File', '')
  if type(file) == v:t_string && file != ''
    var lines = readfile(file, 'b')
    return empty(lines) ? [''] : lines
  endif
  var text = get(params, member, '')
  return split(type(text) == v:t_string ? text : '', "\n", true)
enddef

# The text of a buffer as such lines. Vim has one empty line for an empty text and for a text of one line end.
export def BufferLines(buf: number): list<string>
  var lines = getbufline(buf, 1, '$')
  var hasEnd = getbufvar(buf, '&endofline') && lines != ['']
  var format = getbufvar(buf, '&fileformat')
  if format ==# 'mac'
    return [join(lines, "\r") .. (hasEnd ? "\r" : '')]
  endif
  if format ==# 'dos'
    var last = len(lines) - (hasEnd ? 1 : 2)
    lines->map((at, line) => at <= last ? line .. "\r" : line)
  endif
  return hasEnd ? lines->add('') : lines
enddef

# Makes such lines the text of a loaded buffer, which is in the format of DOS if all lines end so.
export def SetFileLines(buf: number, lines: list<string>)
  var ended = lines[: -2]
  var isDos = !empty(ended) && ended->copy()->filter((_, line) => line[-1 :] != "\r")->empty()
  setbufvar(buf, '&fileformat', isDos ? 'dos' : 'unix')
  SetBufferLines(buf, isDos ? ended->map((_, line) => strpart(line, 0, len(line) - 1)) + [lines[-1]] : lines)
enddef

# The same without a look at carriage returns. One undo step, which touches only lines that differ.
export def SetBufferLines(buf: number, given: list<string>)
  var hasEnd = len(given) > 1 && given[-1] == ''
  var lines = hasEnd ? given[: -2] : given
  setbufvar(buf, '&endofline', hasEnd || lines == [''])
  var old = getbufline(buf, 1, '$')
  var shortest = min([len(old), len(lines)])
  var first = 0
  while first < shortest && old[first] ==# lines[first]
    first += 1
  endwhile
  var same = 0
  while same < shortest - first && old[-1 - same] ==# lines[-1 - same]
    same += 1
  endwhile
  var oldCount = len(old) - first - same
  var newCount = len(lines) - first - same
  var common = min([oldCount, newCount])
  if common > 0
    setbufline(buf, first + 1, lines[first : first + common - 1])
  endif
  if newCount > common
    appendbufline(buf, first + common, lines[first + common : first + newCount - 1])
  elseif oldCount > common
    silent deletebufline(buf, first + common + 1, first + oldCount)
  endif
enddef
