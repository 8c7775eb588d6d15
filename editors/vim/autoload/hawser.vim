" For 'statusline': `%{hawser#Statusline()}`. Loads nothing else.
function! hawser#Statusline() abort
  return get(g:, 'hawser_statusline', '')
endfunction
