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

/** Waits for all. Rejects with the first failure. */
export async function together(closing: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(closing)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
