/** What one check of `hawser doctor` found. */
export interface Finding {
  /** The same in every version, for scripts. */
  readonly id: string;
  readonly title: string;
  /** `missing`: not installed, `off`: not turned on, which may be as intended. */
  readonly status: 'ok' | 'missing' | 'off' | 'warning' | 'problem';
  readonly detail: string;
  /** What to do; absent if nothing. */
  readonly advice?: string;
}
