import { fromRegistration } from '../client-identity.ts';
import type { Grant } from '../grant.ts';

/** What a login would have to be for. */
export interface LoginNeeded {
  readonly issuer: string;
  readonly resource: string;
  /** Separated by spaces; undefined leaves it to the authorization server. */
  readonly scope: string | undefined;
}

/**
 * Uses and refreshes the tokens that another program has stored, with the client that is stored with them, and gets no
 * others. A request that would need a login fails with the error that `loginNeeded` makes.
 */
export function refreshOnly({ loginNeeded }: { loginNeeded(login: LoginNeeded): Error }): Grant {
  return {
    refreshes: true,
    identify: async ({ purpose, registered, server, resource, scope }) => {
      if (purpose === 'login' || registered === undefined) {
        throw loginNeeded({ issuer: server.issuer, resource, scope });
      }
      return fromRegistration(registered);
    },
    acquire: async ({ server, resource, scope }) => {
      throw loginNeeded({ issuer: server.issuer, resource, scope });
    },
  };
}
