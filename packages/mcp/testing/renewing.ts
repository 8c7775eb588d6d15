/** Renews a lease until the returned function is called, which settles when the last renewal has. */
export function keepRenewing(
  store: { renew(process: string, milliseconds: number): void | Promise<void> },
  process: string,
  leaseMs: number,
): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    last = Promise.all([last, store.renew(process, leaseMs)]).then(() => {});
  }, leaseMs / 5);
  return () => {
    clearInterval(timer);
    return last;
  };
}
