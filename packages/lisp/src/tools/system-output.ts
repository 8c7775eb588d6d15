/** Whether the answer of a load shows its output, which is mostly the compiler's. */
export type OutputChoice = 'summary' | 'full';

/** Characters kept of each output stream for the session's resource. */
export const MAX_LOAD_OUTPUT = 500_000;
