-- Neovim is built with LuaJIT or with Lua 5.1: the plugin uses what both have.
std = 'lua51'
globals = { 'vim' }
max_line_length = 120
