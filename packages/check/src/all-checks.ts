import type { Check } from './check.ts';
import { completionAndLoggingChecks } from './checks/completion-and-logging.ts';
import { contentChecks } from './checks/content.ts';
import { featureChecks } from './checks/features.ts';
import { httpChecks } from './checks/http.ts';
import { httpRequestChecks } from './checks/http-requests.ts';
import { httpStreamChecks } from './checks/http-streams.ts';
import { idChecks } from './checks/ids.ts';
import { lifecycleChecks } from './checks/lifecycle.ts';
import { listChecks } from './checks/lists.ts';
import { malformedChecks } from './checks/malformed.ts';
import { messageChecks } from './checks/messages.ts';
import { resourceAndPromptChecks } from './checks/resources-and-prompts.ts';
import { resultChecks } from './checks/results.ts';
import { revisionChecks } from './checks/revisions.ts';
import { runningCallChecks } from './checks/running-calls.ts';
import { statelessChecks } from './checks/stateless.ts';
import { statelessCallChecks } from './checks/stateless-calls.ts';
import { statelessHttpChecks } from './checks/stateless-http.ts';
import { statelessListChecks } from './checks/stateless-lists.ts';
import { stdioChecks } from './checks/stdio.ts';
import { subscriptionChecks } from './checks/subscriptions.ts';
import { toolSchemaChecks } from './checks/tool-schemas.ts';
import { toolChecks } from './checks/tools.ts';
import { unaskedChecks } from './checks/unasked.ts';
import { websocketChecks } from './checks/websocket.ts';

/** A new check is a row in one of these, and a rule that the bad server breaks. */
export const CHECK_GROUPS: readonly (readonly Check[])[] = [
  messageChecks,
  idChecks,
  malformedChecks,
  lifecycleChecks,
  revisionChecks,
  unaskedChecks,
  listChecks,
  toolSchemaChecks,
  toolChecks,
  resourceAndPromptChecks,
  featureChecks,
  completionAndLoggingChecks,
  runningCallChecks,
  resultChecks,
  contentChecks,
  stdioChecks,
  websocketChecks,
  httpChecks,
  httpRequestChecks,
  httpStreamChecks,
  statelessChecks,
  statelessListChecks,
  statelessCallChecks,
  statelessHttpChecks,
  subscriptionChecks,
];

export const ALL_CHECKS: readonly Check[] = CHECK_GROUPS.flat();
