import { type Request, RpcError } from '@hawser/mcp';
import { messageOf } from '@hawser/unknown-values/thrown';
import type { DecisionTexts } from '../review/history/history.ts';
import { Arguments } from './arguments.ts';
import { type LoggedDecision, Method, Refusal } from './calls.ts';
import type { Controlled } from './control.ts';
import { LOGIN_HOURS, type OpenPageOptions, type ReviewPages } from './pages.ts';

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

/** What the page asks for, and what opens it. Undefined for another method. */
export function answerPage({ method, params }: Request, controlled: Controlled): unknown {
  const given = () => new Arguments(params);
  switch (method) {
    case Method.log:
      return logged(given().optionalIndex('count') ?? MAX_LOGGED, controlled);
    case Method.loggedTexts:
      return readably(() => textsOf(given().text('id'), controlled));
    case Method.keepText:
      return readably(() => ({ file: controlled.keepText(given().text('path'), given().text('text')) }));
    case Method.openPage:
      return readably(() => pagesOf(controlled).open(openOptions(given())));
    case Method.closePage:
      return readably(() =>
        pagesOf(controlled)
          .close()
          .then(() => ({})),
      );
    case Method.pageLogins:
      return controlled.pages?.logins() ?? [];
    case Method.revokeLogin:
      return { isRevoked: controlled.pages?.revoke(given().text('id')) ?? false };
    default:
      return undefined;
  }
}

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
  if (pages === undefined) throw new Error('This bridge serves no page');
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

/** The caller is the user, who may read what failed. */
async function readably(answer: () => unknown): Promise<unknown> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof RpcError) throw error;
    throw new RpcError(Refusal.failed, messageOf(error));
  }
}
