/** Calls each in turn, also if others fail. Then rejects with the first failure, if there is one. */
export async function closeAll(parts: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of parts) {
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** Closes all at the same time, also if some throw, and waits for them. Then rejects with the first failure, if there is one. */
export async function together<T>(parts: readonly T[], close: (part: T) => unknown): Promise<void> {
  const closing = parts.map(async (part) => await close(part));
  const failed = (await Promise.allSettled(closing)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** The same as `closeAll` for parts that need no waiting, as when the process is about to end. */
export function closeNow(parts: readonly (() => void)[]): void {
  const errors: unknown[] = [];
  for (const close of parts) {
    try {
      close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
