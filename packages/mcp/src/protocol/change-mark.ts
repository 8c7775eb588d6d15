/** Names a change that several processes report, so that each client gets one notification of it. */
export interface ChangeMark {
  /** What has changed. */
  readonly key: string;
  /** The place of the change on the event bus: two whole numbers with a dash between them; the first weighs more. */
  readonly position: string;
}

export function isNewer(position: string, than: string | undefined): boolean {
  if (than === undefined) return true;
  const [high, low] = parts(position);
  const [otherHigh, otherLow] = parts(than);
  return high > otherHigh || (high === otherHigh && low > otherLow);
}

function parts(position: string): [number, number] {
  const dash = position.indexOf('-');
  return [Number(position.slice(0, dash)), Number(position.slice(dash + 1))];
}
