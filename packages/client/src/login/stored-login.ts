import type { ClientAuthorization } from '@hawser/mcp/http';
import { oauthClient, refreshOnly } from '@hawser/mcp/oauth';
import type { HttpTarget } from '../target.ts';
import { loginCommand } from './login-command.ts';
import { loginFiles } from './login-files.ts';
import { LoginRequired } from './login-required.ts';

/** Uses and refreshes the tokens that `hawser login` has stored. Fails, saying how to log in, when others are needed. */
export function storedLogin(target: HttpTarget, stateFolder: string): ClientAuthorization {
  const grant = refreshOnly({ loginNeeded: ({ issuer, scope }) => new LoginNeeded(issuer, scope) });
  const client = oauthClient(target.url, { grant, store: loginFiles(stateFolder, target.url) });
  return {
    headers: (request) => client.headers(request),
    challenged: async (challenge) => {
      try {
        return await client.challenged(challenge);
      } catch (error) {
        if (!(error instanceof LoginNeeded)) throw error;
        const again = loginCommand(target, challenge.status === 403 ? error.scope : undefined);
        throw challenge.status === 403
          ? new LoginRequired(`The server wants more than your login allows. Log in with: ${again}`)
          : new LoginRequired(
              `There is no valid login at ${error.issuer}. It may have expired or been revoked. Log in with: ${again}`,
            );
      }
    },
  };
}

class LoginNeeded extends Error {
  readonly issuer: string;
  readonly scope: string;

  constructor(issuer: string, scope = '') {
    super(`A login at ${issuer} is needed`);
    this.issuer = issuer;
    // Every login asks for this one by itself.
    this.scope = scope.replace(/ ?\boffline_access\b/, '');
  }
}
