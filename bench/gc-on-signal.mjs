// Preloaded into WebSocket and HTTP servers with --expose-gc: SIGUSR2 collects garbage and says so, so that resident memory can
// be compared. Twice, because the first collection only queues finalizers.
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  setImmediate(() => {
    globalThis.gc?.();
    process.stderr.write('gc done\n');
  });
});
