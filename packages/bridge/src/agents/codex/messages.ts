import { messageOf } from '@hawser/unknown-values/thrown';
import { randomName } from '@hawser/user-files/names';
import type { Message } from './frames.ts';

/** Errors that Codex has a sentence for. */
export const IpcError = {
  /** No editor serves that folder. */
  noClient: 'no-client-found',
  disconnected: 'client-disconnected',
  timeout: 'request-timeout',
  /** The method or the kind of message is unknown. */
  noHandler: 'no-handler-for-request',
} as const;

export function success(request: Message, result: Message, clientId: string): Message {
  const { requestId, method } = request;
  return { type: 'response', requestId, resultType: 'success', method, handledByClientId: clientId, result };
}

export function failure(requestId: unknown, error: string): Message {
  return { type: 'response', requestId, resultType: 'error', error };
}

/**
 * The id of a client or a request, in the form that Codex uses. Ids grant no access, so node:crypto is not
 * needed. Loading it would delay the start of each bridge after a user's first.
 */
export function newId(): string {
  return `${randomName(8)}-${randomName(4)}-4${randomName(3)}-8${randomName(3)}-${randomName(12)}`;
}

/** Answers requests of Codex from one editor. */
export interface ContextProvider {
  canAnswer(request: Message): Promise<boolean>;
  /** The result of a request that it can answer. */
  answer(request: Message): Promise<Message>;
}

/** The response to a request. Never rejects. */
export async function respond(provider: ContextProvider, request: Message, clientId: string): Promise<Message> {
  try {
    if (!(await provider.canAnswer(request))) return failure(request.requestId, IpcError.noHandler);
    return success(request, await provider.answer(request), clientId);
  } catch (error) {
    return failure(request.requestId, messageOf(error));
  }
}
