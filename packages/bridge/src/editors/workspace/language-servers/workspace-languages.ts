import type { FileDiagnostics, LanguageProgram, UncheckedLanguage } from '../../../editor.ts';
import type { LanguageFeatures, TextEdit, WaitOptions } from '../../../language-features.ts';
import { FeatureRequests } from './feature-requests.ts';
import { type LanguageHost, LanguageServers, type LanguageServersOptions } from './language-servers.ts';

export type WorkspaceLanguagesOptions = Omit<LanguageServersOptions, 'onAbilities'>;

/** Members of the editor that depend on which language servers are there. */
export interface LanguageMembers extends LanguageFeatures {
  format?(path: string, options: WaitOptions & { readonly signal: AbortSignal }): Promise<readonly TextEdit[]>;
}

/** After the start, which it must not delay. */
const SURVEY_AFTER_MS = 100;

/** What language servers add to the workspace editor. */
export class WorkspaceLanguages {
  readonly #servers: LanguageServers;
  readonly #requests: FeatureRequests;
  readonly #surveying: NodeJS.Timeout;
  #onMembers: (members: LanguageMembers) => void = () => {};

  constructor(options: WorkspaceLanguagesOptions) {
    this.#servers = new LanguageServers({ ...options, onAbilities: () => this.#onMembers(this.#members()) });
    this.#requests = new FeatureRequests(this.#servers, (path) => requireOpen(options.host, path));
    this.#surveying = setTimeout(() => void this.#servers.survey(), SURVEY_AFTER_MS).unref();
  }

  /** Sets the listener that gets the members there are, whenever others appear or go. */
  onMembers(listener: (members: LanguageMembers) => void): void {
    this.#onMembers = listener;
  }

  diagnostics(path?: string): Promise<readonly FileDiagnostics[]> {
    return this.#servers.diagnostics(path);
  }

  programs(): Promise<readonly LanguageProgram[]> {
    return this.#servers.programs();
  }

  unchecked(): Promise<readonly UncheckedLanguage[]> {
    return this.#servers.unchecked();
  }

  textChanged(path: string, state: 'open' | 'closed'): void {
    if (state === 'closed') this.#servers.closeDocument(path);
    else void this.#servers.survey();
    this.#servers.changed();
  }

  changed(): void {
    this.#servers.changed();
  }

  async close(): Promise<void> {
    clearTimeout(this.#surveying);
    await this.#servers.close();
  }

  #members(): LanguageMembers {
    const { features, codeActions, format } = this.#servers.abilities;
    const requests = this.#requests;
    return {
      ...(features && {
        definition: requests.definition.bind(requests),
        references: requests.references.bind(requests),
        hover: requests.hover.bind(requests),
        documentSymbols: requests.documentSymbols.bind(requests),
        workspaceSymbols: requests.workspaceSymbols.bind(requests),
        rename: requests.rename.bind(requests),
      }),
      ...(codeActions && { codeActions: requests.codeActions.bind(requests) }),
      ...(format && { format: (path, { signal }) => requests.format(path, signal) }),
    };
  }
}

async function requireOpen(host: LanguageHost, path: string) {
  const text = await host.openText(path);
  if (text === undefined) throw new Error(`Not open: ${path}`);
  return text;
}
