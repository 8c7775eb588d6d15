/** What one check of `hawser doctor` found. */
export interface Finding {
  /** The same in every version, for scripts. */
  readonly id: string;
  readonly title: string;
  /** `missing`: not installed, which may be as intended. */
  readonly status: 'ok' | 'missing' | 'warning' | 'problem';
  readonly detail: string;
  /** What to do; absent if nothing. */
  readonly advice?: string;
}
