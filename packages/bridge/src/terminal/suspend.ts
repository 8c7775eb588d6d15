/** Stops the process as Ctrl-Z does, and calls back when it goes on. */
export function suspend(onReturn: (how: 'continued' | 'not stopped') => void): void {
  const continued = () => {
    clearTimeout(timer);
    onReturn('continued');
  };
  process.once('SIGCONT', continued);
  // Without a shell that could continue it, the system does not stop a process. Pending signals are handled before an
  // immediate.
  const notStopped = () =>
    setImmediate(() => {
      if (!process.listeners('SIGCONT').includes(continued)) return;
      process.off('SIGCONT', continued);
      onReturn('not stopped');
    });
  const timer = setTimeout(notStopped, 200);
  process.kill(process.pid, 'SIGTSTP');
}
