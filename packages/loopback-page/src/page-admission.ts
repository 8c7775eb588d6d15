import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

/** Decides which pages may open the channel. Asked after Host and Origin were checked. */
export interface PageAdmission {
  /** The id of the page that sends these headers; undefined refuses it. */
  admit(headers: IncomingHttpHeaders): string | undefined;
  /** Answers a request for this path. Undefined if it is none of its own. */
  answer?(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> | undefined;
}

/** What a page offers as its second subprotocol, the only header that it can choose. */
export function proofIn(headers: IncomingHttpHeaders, name: string): string {
  const offered = headers['sec-websocket-protocol']?.split(',').map((each) => each.trim()) ?? [];
  return offered.find((each) => each !== name) ?? '';
}
