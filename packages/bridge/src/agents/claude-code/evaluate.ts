/** Runs code for the agent's model. An error of the code is a result, too; rejects if the code can't be run. */
export type Evaluate = (code: string, options: { readonly signal: AbortSignal }) => Promise<CodeResult>;

export interface CodeResult {
  readonly text: string;
  readonly isError: boolean;
}
