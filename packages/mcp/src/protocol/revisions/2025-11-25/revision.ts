import type { Revision } from '../../revision.ts';
import { objectOutput, objectResult, revision20250618 } from '../2025-06-18/revision.ts';

/** Adds icons, elicitation by URL and sampling with tools. Bad tool input becomes a result the model can read. */
export const revision20251125: Revision = {
  ...revision20250618,
  version: '2025-11-25',
  unreadableId: undefined,
  invalidToolInput: 'result',
  primedStreams: true,
  urlElicitation: true,
  samplingTools: true,
  shape: {
    implementation: (info) => info,
    tool: objectOutput,
    toolResult: objectResult,
    content: (block) => block,
    resource: (resource) => resource,
    resourceTemplate: (template) => template,
    resourceContents: (contents) => contents,
    prompt: (prompt) => prompt,
    completion: (params) => params,
    progress: (progress) => progress,
    root: (root) => root,
    elicitation: (params) =>
      params.mode === 'url' && params.elicitationId === undefined
        ? { ...params, elicitationId: crypto.randomUUID() }
        : params,
  },
};
