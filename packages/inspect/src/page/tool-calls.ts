import type { CallToolResult } from '@hawser/mcp';
import { Store } from '@hawser/page-parts/store';
import { durationInWords } from '@hawser/page-parts/visible-text';
import type { CallFailed } from './channel.ts';
import type { Inspection } from './inspection.ts';

type Arguments = Readonly<Record<string, unknown>>;

export type CallOutcome =
  | { readonly kind: 'running' }
  | { readonly kind: 'done'; readonly result: CallToolResult; readonly ms: number }
  | { readonly kind: 'failed'; readonly failure: CallFailed; readonly ms: number }
  | { readonly kind: 'cancelled'; readonly ms: number }
  /** Made before the page was loaded again; the result is gone. */
  | { readonly kind: 'past' };

export interface ToolCallRecord {
  readonly id: string;
  readonly tool: string;
  readonly arguments: Arguments;
  readonly time: number;
  readonly outcome: CallOutcome;
}

const MAX_RECORDS = 50;
const STORAGE_KEY = 'calls';
const MAX_STORED_CHARS = 500_000;

/** The calls of tools, newest first. Their arguments survive a reload of the page. */
export class ToolCalls {
  readonly records = new Store<readonly ToolCallRecord[]>(stored());
  readonly #inspection: Inspection;
  readonly #running = new Map<string, AbortController>();

  constructor(inspection: Inspection) {
    this.#inspection = inspection;
  }

  async run(tool: string, args: Arguments): Promise<void> {
    const id = crypto.randomUUID();
    const controller = new AbortController();
    this.#running.set(id, controller);
    const began = performance.now();
    const record: ToolCallRecord = { id, tool, arguments: args, time: Date.now(), outcome: { kind: 'running' } };
    this.records.update((all) => [record, ...all].slice(0, MAX_RECORDS));
    let outcome: CallOutcome;
    try {
      const call = { callId: id, name: tool, arguments: args };
      const result = await this.#inspection.call('tools/call', call, controller.signal);
      outcome = { kind: 'done', result, ms: performance.now() - began };
    } catch (error) {
      const ms = performance.now() - began;
      const failure = error as CallFailed;
      outcome = controller.signal.aborted ? { kind: 'cancelled', ms } : { kind: 'failed', failure, ms };
    }
    this.#running.delete(id);
    this.#inspection.endProgress(id);
    this.records.update((all) => all.map((each) => (each.id === id ? { ...each, outcome } : each)));
    this.#inspection.announce(`${tool}: ${outcomeInWords(outcome)}`);
    store(this.records.value);
  }

  /** The result of the last call before this one with the same arguments; undefined if there is none. */
  earlierOf(record: ToolCallRecord): { readonly result: CallToolResult; readonly time: number } | undefined {
    const args = JSON.stringify(record.arguments);
    const all = this.records.value;
    for (const { tool, arguments: others, time, outcome } of all.slice(all.indexOf(record) + 1)) {
      if (tool !== record.tool || outcome.kind !== 'done' || JSON.stringify(others) !== args) continue;
      return { result: outcome.result, time };
    }
    return undefined;
  }

  cancel(id: string): void {
    this.#running.get(id)?.abort();
  }

  clear(): void {
    this.records.update((all) => all.filter(({ outcome }) => outcome.kind === 'running'));
    store(this.records.value);
  }
}

export function outcomeInWords(outcome: CallOutcome): string {
  switch (outcome.kind) {
    case 'running':
      return 'running';
    case 'past':
      return 'before the page was reloaded';
    case 'cancelled':
      return `cancelled after ${durationInWords(outcome.ms)}`;
    case 'failed':
      return `failed after ${durationInWords(outcome.ms)}`;
    case 'done':
      return `${outcome.result.isError ? 'the tool failed after' : 'done in'} ${durationInWords(outcome.ms)}`;
  }
}

function store(records: readonly ToolCallRecord[]): void {
  const kept = records.map(({ id, tool, arguments: args, time }) => ({ id, tool, arguments: args, time }));
  const text = JSON.stringify(kept);
  if (text.length <= MAX_STORED_CHARS) sessionStorage.setItem(STORAGE_KEY, text);
}

function stored(): ToolCallRecord[] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]') as Omit<ToolCallRecord, 'outcome'>[];
    return kept.map((record) => ({ ...record, outcome: { kind: 'past' } }));
  } catch {
    return [];
  }
}
