import { untilAborted } from '../../../jsonrpc/waiting.ts';
import type { HttpResponse } from './http-sender.ts';
import { discardBody } from './response-body.ts';

/** One HTTP request that is about to be sent. */
export interface AuthorizedRequest {
  readonly method: string;
  /** Where it goes, also after a redirect. */
  readonly url: URL;
  /** Aborts when the request is no longer wanted. */
  readonly signal: AbortSignal;
}

/** The server's refusal of a request. */
export interface AuthorizationChallenge extends AuthorizedRequest {
  readonly status: 401 | 403;
  /** The response's header of that name. */
  header(name: string): string | undefined;
  /** The headers that `headers` gave for the request. */
  readonly sent: Readonly<Record<string, string>>;
  /** How often the request was sent again before. */
  readonly retries: number;
}

/** Gives the requests of a connection their credentials. Calls for several requests overlap. */
export interface ClientAuthorization {
  /** The headers to add to a request. If it rejects, the request fails with that error. */
  headers(request: AuthorizedRequest): Promise<Readonly<Record<string, string>>>;
  /**
   * The server refused a request. True sends it again, with new headers; false reports the refusal. If it rejects, the
   * request fails with that error.
   */
  challenged(challenge: AuthorizationChallenge): Promise<boolean>;
}

/** Sends a request, and again while the authorization wants it. The signal ends it, whatever the authorization does. */
export async function sendAuthorized(
  authorization: ClientAuthorization,
  request: { readonly method: string; readonly signal: AbortSignal; url(): URL },
  send: (headers: Readonly<Record<string, string>>) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { method, signal } = request;
  for (let retries = 0; ; retries += 1) {
    const sent = await untilAborted(authorization.headers({ method, signal, url: request.url() }), signal);
    const response = await send(sent);
    const { status } = response;
    if (status !== 401 && status !== 403) return response;
    const header = (name: string) => response.header(name);
    const challenge = { method, signal, url: request.url(), status, header, sent, retries } as const;
    let again = true;
    try {
      again = await untilAborted(authorization.challenged(challenge), signal);
    } finally {
      if (again) discardBody(response);
    }
    if (!again) return response;
  }
}
