/** Counts what each client holds of something that all of them share. Without a client nothing is counted. */
export class Shares {
  readonly #counts = new Map<string, number>();

  of(client: string | undefined): number {
    return client === undefined ? 0 : (this.#counts.get(client) ?? 0);
  }

  add(client: string | undefined): void {
    if (client !== undefined) this.#counts.set(client, this.of(client) + 1);
  }

  remove(client: string | undefined): void {
    if (client === undefined) return;
    const left = this.of(client) - 1;
    if (left > 0) this.#counts.set(client, left);
    else this.#counts.delete(client);
  }
}

/** The client that holds the most, by the size of each thing, and all that it holds, in their order. */
export function largestShare<Thing>(
  things: Iterable<Thing>,
  clientOf: (thing: Thing) => string | undefined,
  sizeOf: (thing: Thing) => number,
): Thing[] {
  const shares = new Map<string | undefined, { size: number; things: Thing[] }>();
  for (const thing of things) {
    const client = clientOf(thing);
    let share = shares.get(client);
    if (share === undefined) {
      share = { size: 0, things: [] };
      shares.set(client, share);
    }
    share.size += sizeOf(thing);
    share.things.push(thing);
  }
  let largest = { size: 0, things: [] as Thing[] };
  for (const share of shares.values()) if (share.size > largest.size) largest = share;
  return largest.things;
}
