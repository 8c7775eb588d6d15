import type { Refusal } from '../../transports/authorization.ts';

/** The refusals of RFC 6750, with what MCP clients need to get the right token. */
export class BearerRefusals {
  readonly #metadataUrl: string;

  constructor(metadataUrl: string) {
    this.#metadataUrl = metadataUrl;
  }

  /** There is no token. */
  missing(scopes: readonly string[]): Refusal {
    const message = 'Unauthorized: send an access token in the Authorization header';
    return { status: 401, message, wwwAuthenticate: this.#challenge(scopes) };
  }

  invalid(problem: string, scopes: readonly string[]): Refusal {
    return { status: 401, message: problem, wwwAuthenticate: this.#challenge(scopes, 'invalid_token', problem) };
  }

  /** `scopes` are those that the next token needs, with those that the client would otherwise lose. */
  insufficient(missing: readonly string[], scopes: readonly string[]): Refusal {
    const problem = `The token lacks the scope ${missing.join(' ')}`;
    return { status: 403, message: problem, wwwAuthenticate: this.#challenge(scopes, 'insufficient_scope', problem) };
  }

  /** Nothing here needs to be escaped: problems are our own texts, and names of scopes were checked. */
  #challenge(scopes: readonly string[], error?: string, description?: string): string {
    const parameters = {
      error,
      error_description: description,
      scope: scopes.length === 0 ? undefined : scopes.join(' '),
      resource_metadata: this.#metadataUrl,
    };
    const written = Object.entries(parameters).filter(([, value]) => value !== undefined);
    return `Bearer ${written.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
  }
}
