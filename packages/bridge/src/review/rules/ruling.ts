import { messageOf } from '@hawser/unknown-values/thrown';
import type { Ruled, Ruling } from '../audience.ts';
import { UNDO } from '../history/undo.ts';
import type { Decision, Proposal } from '../proposal.ts';
import { type Rule, ruleFor } from './rules.ts';

export interface RulingOptions {
  /** Those of now. Throws an Error for the user if they can't be read: then the user is asked about everything. */
  readonly rules: () => readonly Rule[];
  /** Of the workspace. */
  readonly folders: () => readonly string[];
  readonly onProblem: (problem: Error) => void;
}

/** Decides what the user's rules decide. */
export class Rulings {
  readonly #options: RulingOptions;
  #reported = '';
  #last: Ruled | undefined;

  constructor(options: RulingOptions) {
    this.#options = options;
  }

  /** Undefined before the first decision. */
  get last(): Ruled | undefined {
    return this.#last;
  }

  /** Undefined if the user is asked. */
  on(proposal: Proposal): Ruling | undefined {
    const rule = isRuled(proposal) ? ruleFor(this.#rules(), proposal, this.#options.folders()) : undefined;
    const decision = rule && decisionOf(rule, proposal);
    if (rule === undefined || decision === undefined) return undefined;
    const { path, agent } = proposal;
    const by = `rule ${rule.text}`;
    this.#last = { count: (this.#last?.count ?? 0) + 1, path, agent, decision: decision.kind, by };
    return { decision, by };
  }

  #rules(): readonly Rule[] {
    const { rules, onProblem } = this.#options;
    try {
      return rules();
    } catch (error) {
      const message = `No rule is followed: ${messageOf(error)}`;
      if (message !== this.#reported) onProblem(new Error(message, { cause: error }));
      this.#reported = message;
      return [];
    }
  }
}

/** Not what has happened already, a command, or what the user does. */
function isRuled({ effect = 'edit', agent }: Proposal): boolean {
  return (effect === 'edit' || effect === 'delete') && agent !== UNDO;
}

function decisionOf({ verdict, text }: Rule, { effect, oldPath, base }: Proposal): Decision | undefined {
  switch (verdict) {
    case 'ask':
      return undefined;
    case 'refuse': {
      const words = `The user has a rule that refuses this: "${text}". Do not make this change in another way.`;
      return { kind: 'rejected', notes: [{ text: words }] };
    }
    case 'accept':
      // What is deleted or moved, or undoes what somebody else has just written, is asked about.
      return effect === 'delete' || oldPath !== undefined || base === 'conflict' ? undefined : { kind: 'accepted' };
  }
}
