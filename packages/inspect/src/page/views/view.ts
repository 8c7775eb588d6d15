import type { Inspection } from '../inspection.ts';

export type ViewName = 'server' | 'tools' | 'resources' | 'prompts' | 'log' | 'traffic' | 'check' | 'raw';

/** What every view gets. */
export interface ViewProps {
  readonly inspection: Inspection;
  /** Whether it is shown. */
  readonly isActive: boolean;
  /** Shows a resource, in its own view. */
  readonly openResource: (uri: string) => void;
}
