import type { Check } from './check.ts';
import { httpChecks } from './checks/http.ts';
import { lifecycleChecks } from './checks/lifecycle.ts';
import { messageChecks } from './checks/messages.ts';
import { resourceAndPromptChecks } from './checks/resources-and-prompts.ts';
import { statelessChecks } from './checks/stateless.ts';
import { stdioChecks } from './checks/stdio.ts';
import { toolChecks } from './checks/tools.ts';

/** A new check is a row in one of these, and a rule that the bad server breaks. */
export const ALL_CHECKS: readonly Check[] = [
  ...messageChecks,
  ...lifecycleChecks,
  ...toolChecks,
  ...resourceAndPromptChecks,
  ...stdioChecks,
  ...httpChecks,
  ...statelessChecks,
];
