vim9script
# What is selected in the current buffer, in positions of the protocol.
import './text.vim'

const MAX_SELECTED = 1048576

# The range and the text that are selected in the current buffer; of a cursor an empty text.
export def Current(): dict<any>
  var kind = mode()[0]
  var from = getpos('v')[1 : 2]
  var to = getpos('.')[1 : 2]
  if kind !~# "[vV\<C-V>]"
    var at = PositionOf(to[0], to[1] - 1)
    return {range: {start: at, end: at}, text: ''}
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
  return {range: {start: PositionOf(first, startByte), end: end}, text: join(lines, &fileformat == 'dos' ? "\r\n" : "\n")}
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
