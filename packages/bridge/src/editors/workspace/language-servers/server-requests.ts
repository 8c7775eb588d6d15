import { basename } from 'node:path';
import { isObject } from '@hawser/unknown-values/objects';
import type { ProtocolConnection } from 'vscode-languageserver-protocol/node';
import { uriOf } from '../../language-answers.ts';

/** Methods that a server has registered, by the id of the registration. */
export type Registrations = Map<string, string>;

export interface ServerRequestOptions {
  readonly folder: string;
  readonly registrations: Registrations;
  /** Diagnostics are to be pulled again. */
  onRefresh(): void;
  /** `registrations` has changed. */
  onRegistered(): void;
}

const MAX_REGISTRATIONS = 1000;
const MAX_CONFIGURATION_ITEMS = 1000;

/** Answers what servers ask. Nothing is shown to the user and nothing is changed; other methods are unknown to us. */
export function answerServer(connection: ProtocolConnection, options: ServerRequestOptions): void {
  const { folder, registrations, onRefresh, onRegistered } = options;
  const answers: { readonly [method: string]: (params: Parameters) => unknown } = {
    // There are no settings: a server reads the configuration files of the project.
    'workspace/configuration': ({ items }) =>
      list(items)
        .slice(0, MAX_CONFIGURATION_ITEMS)
        .map(() => null),
    'workspace/workspaceFolders': () => [{ uri: uriOf(folder), name: basename(folder) }],
    'workspace/applyEdit': () => ({ applied: false, failureReason: 'Edits are proposed to the user instead' }),
    'client/registerCapability': (params) => {
      for (const { id, method } of list(params.registrations)) {
        if (registrations.size < MAX_REGISTRATIONS) registrations.set(String(id), String(method));
      }
      onRegistered();
      return null;
    },
    'client/unregisterCapability': (params) => {
      // The protocol spells it like this.
      for (const { id } of list(params.unregisterations)) registrations.delete(String(id));
      return null;
    },
    'window/workDoneProgress/create': () => null,
    'window/showMessageRequest': () => null,
    'window/showDocument': () => ({ success: false }),
    'workspace/diagnostic/refresh': () => {
      onRefresh();
      return null;
    },
  };
  for (const [method, answer] of Object.entries(answers)) {
    connection.onRequest(method, (params: unknown) => answer((params ?? {}) as Parameters));
  }
}

interface Parameters {
  readonly [name: string]: unknown;
}

function list(value: unknown): readonly Parameters[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
