vim9script
# The problems of files that the bridge is told, from ALE or the quickfix list.
import './connection.vim'
import './documents.vim'
import './text.vim'

# Files with problems that the bridge knows.
var reported: dict<bool> = {}

export def Forget()
  reported = {}
enddef

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
      connection.Notify('textDocument/publishDiagnostics', {uri: documents.UriOfBuffer(buf), diagnostics: problems})
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
