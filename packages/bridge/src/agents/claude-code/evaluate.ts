/** Runs code for the agent's model. What becomes of the code is its result; rejects if the code can't be run. */
export type Evaluate = (code: string, options: { readonly signal: AbortSignal }) => Promise<CodeResult>;

export interface CodeResult {
  readonly text: string;
  readonly isError: boolean;
}
