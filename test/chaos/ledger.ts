/** What clients saw during a chaos run: how their operations ended, and every promise that was broken. */
export class Ledger {
  readonly violations: string[] = [];
  readonly #outcomes = new Map<string, Map<string, number>>();
  readonly #since = performance.now();

  /** Counts how an operation of a workload ended. */
  count(workload: string, outcome: string): void {
    const counts = this.#outcomes.get(workload) ?? new Map<string, number>();
    this.#outcomes.set(workload, counts);
    const text = withoutDetails(outcome);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }

  /** How often operations of a workload ended like this. */
  counted(workload: string, outcome: string): number {
    return this.#outcomes.get(workload)?.get(outcome) ?? 0;
  }

  violate(workload: string, text: string): void {
    this.violations.push(`${this.#time()} ${workload}: ${text}`);
  }

  /** The outcomes of all workloads, the most frequent first. */
  toString(): string {
    const lines: string[] = [];
    for (const [workload, counts] of this.#outcomes) {
      lines.push(workload);
      const sorted = [...counts].sort(([, one], [, other]) => other - one);
      for (const [outcome, count] of sorted) lines.push(`  ${String(count).padStart(7)}  ${outcome}`);
    }
    return lines.join('\n');
  }

  #time(): string {
    return `[${((performance.now() - this.#since) / 1000).toFixed(1)} s]`;
  }
}

/** Messages that differ in ids and ports only count as one. */
function withoutDetails(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
    .replace(/127\.0\.0\.1:\d+/g, '<address>')
    .slice(0, 200);
}
