// Preloaded into WebSocket and HTTP servers, which do not read their stdin: they end when the bench does, even if it is killed.
process.stdin.on('end', () => process.exit()).resume();
process.stdin.unref();
