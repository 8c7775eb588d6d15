import type { DecisionTexts } from '../review/history/history.ts';
import type { Arguments } from './arguments.ts';
import { type LoggedDecision, Method } from './calls.ts';
import type { Controlled } from './control.ts';
import { LOGIN_HOURS, type OpenPageOptions, type ReviewPages } from './pages.ts';
import type { Call } from './view-calls.ts';

/** What a page may ask for: nothing that reads other files, starts something, or ends the bridge. */
export const PAGE_METHODS: ReadonlySet<string> = new Set([
  Method.status,
  Method.review,
  Method.list,
  Method.decide,
  Method.undo,
  Method.pause,
  Method.resume,
  Method.disconnect,
  Method.diagnostics,
  Method.watchTraffic,
  Method.log,
  Method.loggedTexts,
  Method.keepText,
]);

const MAX_LOGGED = 500;
const MAX_HOURS = 24 * 30;

/** What the page asks for, and what opens it, by method. */
export const PAGE_CALLS: ReadonlyMap<string, Call> = new Map<string, Call>([
  [Method.log, (given, controlled) => logged(given.optionalIndex('count') ?? MAX_LOGGED, controlled)],
  [Method.loggedTexts, (given, controlled) => textsOf(given.text('id'), controlled)],
  [Method.keepText, (given, { keepText }) => ({ file: keepText(given.text('path'), given.text('text')) })],
  [Method.openPage, (given, controlled) => pagesOf(controlled).open(openOptions(given))],
  [
    Method.closePage,
    (_given, controlled) =>
      pagesOf(controlled)
        .close()
        .then(() => ({})),
  ],
  [Method.pageLogins, (_given, { pages }) => pages?.logins() ?? []],
  [Method.revokeLogin, (given, { pages }) => ({ isRevoked: pages?.revoke(given.text('id')) ?? false })],
]);

/** The newest first, of the folders of this bridge. */
function logged(count: number, { decisions }: Controlled): readonly LoggedDecision[] {
  return decisions()
    .slice(0, Math.min(count, MAX_LOGGED))
    .map(({ id, time, path, agent, effect, decision, by, notes, oldText, newText, accepted }) => ({
      ...{ id, time, path, agent, effect, decision, by, notes },
      isNewFile: oldText === undefined,
      isChanged: decision === 'accepted' && accepted !== newText,
    }));
}

function textsOf(id: string, { decisions, textsOfDecision }: Controlled): DecisionTexts {
  const decision = decisions().find((each) => each.id === id);
  if (decision === undefined) throw new Error(`There is no decision ${id}`);
  return textsOfDecision(decision);
}

function pagesOf({ pages }: Controlled): ReviewPages {
  if (pages === undefined) throw new Error('This bridge does not serve a review page');
  return pages;
}

function openOptions(given: Arguments): OpenPageOptions {
  const hours = given.optionalIndex('hours') ?? LOGIN_HOURS;
  if (hours < 1 || hours > MAX_HOURS) throw new Error(`A login lasts from 1 to ${MAX_HOURS} hours`);
  return {
    port: given.optionalIndex('port'),
    host: given.optionalText('host'),
    cert: given.optionalText('cert'),
    key: given.optionalText('key'),
    hours,
  };
}
