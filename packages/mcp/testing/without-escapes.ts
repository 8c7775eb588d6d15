/** What has escaped from each work under way. One pair of listeners serves all of them. */
const underWay = new Set<unknown[]>();
const note = (error: unknown) => {
  for (const escaped of underWay) escaped.push(error);
};

/** Throws if an exception or a rejection reaches the process while the work is done. */
export async function withoutEscapes<T>(what: string, work: () => Promise<T>): Promise<T> {
  const escaped: unknown[] = [];
  if (underWay.size === 0) process.on('uncaughtException', note).on('unhandledRejection', note);
  underWay.add(escaped);
  try {
    const result = await work();
    await new Promise((resolve) => setImmediate(resolve)); // they are reported after the microtasks
    if (escaped.length > 0) throw new Error(`${what}: an exception escaped: ${escaped}`, { cause: escaped[0] });
    return result;
  } finally {
    underWay.delete(escaped);
    if (underWay.size === 0) process.off('uncaughtException', note).off('unhandledRejection', note);
  }
}
