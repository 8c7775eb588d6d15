import type { Revision } from '../../revision.ts';
import { only, plainContent, revision20241105, withoutStructure } from '../2024-11-05/revision.ts';

/** Adds batches, tool annotations and audio. */
export const revision20250326: Revision = {
  ...revision20241105,
  version: '2025-03-26',
  batches: true,
  shape: {
    ...revision20241105.shape,
    tool: (tool) => only(tool, ['name', 'description', 'inputSchema', 'annotations']),
    toolResult: (result) => withoutStructure(result, plainContent),
    content: plainContent,
    progress: (progress) => progress,
  },
};
