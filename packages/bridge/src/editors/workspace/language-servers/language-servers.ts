import { dirname } from 'node:path';
import type { Diagnostic, FileDiagnostics, LanguageProgram, UncheckedLanguage } from '../../../editor.ts';
import { languageIdOf } from '../../languages.ts';
import { Checker } from './checker.ts';
import { type DiagnosticsSource, type SourceText, untilAborted } from './diagnostics-source.ts';
import { type DiskChange, DiskChanges } from './disk-changes.ts';
import { type FoundProgram, isExecutable, isInside, ProgramSearch, type SearchOptions } from './find-programs.ts';
import { LanguageServer } from './language-server.ts';
import { ADVICE } from './program-table.ts';
import { surveyFiles } from './workspace-files.ts';

/** The editor that the servers work for. */
interface LanguageHost {
  folders(): readonly string[];
  /** The documents that are open. */
  texts(): readonly SourceText[];
  /** An open document, brought up to date with its file; undefined if it is not open. */
  openText(path: string): Promise<SourceText | undefined>;
  readText(path: string): Promise<string>;
}

export interface LanguageServersOptions extends SearchOptions {
  readonly host: LanguageHost;
  /** The diagnostics of these files have changed. */
  readonly onDiagnostics: (paths: readonly string[]) => void;
  /** Servers that can do other things were found, or have gone. */
  readonly onAbilities: (abilities: LanguageAbilities) => void;
  readonly onProblem: (problem: Error) => void;
}

/** What servers that were found can do, as far as that is known before they are started. */
export interface LanguageAbilities {
  readonly features: boolean;
  readonly codeActions: boolean;
  readonly format: boolean;
}

/** More servers are not started. */
const MAX_SERVERS = 8;
const MAX_SURVEYED_FILES = 3000;
const MAX_PROJECTS = 20;
/** How long what was found on disk is relied on. */
const SURVEY_MS = 5000;
/** How long a question for diagnostics waits for programs, their start included. */
const DIAGNOSE_MS = 10_000;
const REFRESH_DELAY_MS = 300;
/** After the start, which it must not delay. */
const SURVEY_AFTER_MS = 100;

/** The language servers and checkers of a workspace: looked for at once, started when a question needs them. */
export class LanguageServers {
  readonly #options: LanguageServersOptions;
  readonly #sources = new Map<string, LanguageServer | Checker>();
  readonly #disk: DiskChanges;
  readonly #reported = new Map<string, string>();
  /** A file of each language in the workspace. */
  #examples = new Map<string, string>();
  #search: ProgramSearch;
  #survey: Promise<void> | undefined;
  #surveyedAt = Number.NEGATIVE_INFINITY;
  /** The folders that were trusted then. */
  #trusted = '';
  /** By their paths. */
  #untrusted: ReadonlyMap<string, LanguageProgram> = new Map();
  #abilities: LanguageAbilities = { features: false, codeActions: false, format: false };
  readonly #surveying: NodeJS.Timeout;
  #refreshing: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: LanguageServersOptions) {
    this.#options = options;
    this.#search = new ProgramSearch(options);
    this.#disk = new DiskChanges(
      () => options.host.folders(),
      (changes) => this.#passOn(changes),
    );
    this.#surveying = setTimeout(() => void this.survey(), SURVEY_AFTER_MS).unref();
  }

  /** Looks which languages the workspace has, and for their programs, unless it was done a moment ago. */
  survey(): Promise<void> {
    // Not `performance`: Node loads it when it is first used, and this runs in every bridge.
    const now = process.uptime() * 1000;
    const trusted = this.#trustedFolders();
    const isKnown = now - this.#surveyedAt < SURVEY_MS && trusted === this.#trusted;
    if (this.#isClosed || isKnown) return this.#survey ?? Promise.resolve();
    this.#surveyedAt = now;
    this.#trusted = trusted;
    this.#survey = this.#look().catch((error: unknown) => {
      this.#options.onProblem(new Error('Language servers could not be looked for', { cause: error }));
    });
    return this.#survey;
  }

  async programs(): Promise<readonly LanguageProgram[]> {
    await this.survey();
    return [...[...this.#sources.values()].map((source) => source.status()), ...this.#untrusted.values()];
  }

  /** Languages of the workspace that no program was found for. */
  async unchecked(): Promise<readonly UncheckedLanguage[]> {
    const checked = new Set((await this.programs()).flatMap(({ languages }) => languages));
    return ADVICE.filter(({ languages }) =>
      languages.some((language) => this.#examples.has(language) && !checked.has(language)),
    ).map(({ title, install }) => ({ title, install }));
  }

  /** Waits for programs within limits; what they find later is reported as a change. */
  async diagnostics(path?: string): Promise<readonly FileDiagnostics[]> {
    const deadline = AbortSignal.timeout(DIAGNOSE_MS);
    await untilAborted(this.#diagnose(path, deadline), deadline);
    const merged = new Map<string, readonly Diagnostic[]>();
    for (const { known } of this.#sources.values()) {
      for (const [file, found] of known) merged.set(file, [...(merged.get(file) ?? []), ...found]);
    }
    if (path !== undefined) return [{ path, diagnostics: merged.get(path) ?? [] }];
    return [...merged].map(([file, diagnostics]) => ({ path: file, diagnostics }));
  }

  /**
   * The servers for an open document, the one with all features before linters. Files of other processes are up to date
   * for them.
   */
  async serversFor(path: string): Promise<{ readonly text: SourceText; readonly servers: readonly LanguageServer[] }> {
    const text = await this.#options.host.openText(path);
    if (text === undefined) throw new Error(`Not open: ${path}`);
    void this.survey();
    await this.#disk.look();
    const servers = (await this.#sourcesFor(path))
      .filter((source) => source instanceof LanguageServer)
      .sort((one, other) => Number(one.row.isLinter ?? false) - Number(other.row.isLinter ?? false));
    return { text, servers };
  }

  /** All servers with language features; each has a document open, which makes it read the project. */
  async allServers(): Promise<readonly { readonly server: LanguageServer; readonly texts: readonly SourceText[] }[]> {
    await this.survey();
    await this.#disk.look();
    const servers = [...this.#sources.values()].filter((source) => source instanceof LanguageServer);
    return await Promise.all(
      servers
        .filter(({ row }) => row.isLinter === undefined)
        .map(async (server) => {
          const texts = this.unsavedTexts(server);
          const language = server.row.languages.find((each) => this.#examples.has(each));
          const example = language === undefined ? undefined : this.#examples.get(language);
          if (!server.isIdle || texts.length > 0 || example === undefined) return { server, texts };
          const text = await this.#textOf(example);
          return { server, texts: text === undefined ? [] : [text] };
        }),
    );
  }

  /** Unsaved documents in the languages of a server: it must not answer from their files. */
  unsavedTexts(server: LanguageServer): readonly SourceText[] {
    const { languages } = server.row;
    return this.#options.host
      .texts()
      .filter(({ languageId, isSaved, path }) => languages.includes(languageId) && (!isSaved || server.hasOpen(path)));
  }

  /** A document of the editor, or its file, has changed. Programs that run look at the open documents again. */
  changed(): void {
    if (this.#isClosed || this.#refreshing !== undefined) return;
    this.#refreshing = setTimeout(() => {
      this.#refreshing = undefined;
      void this.#refresh();
    }, REFRESH_DELAY_MS).unref();
  }

  textChanged(path: string, state: 'open' | 'closed'): void {
    if (state === 'open') void this.survey();
    else for (const source of this.#sources.values()) if (source instanceof LanguageServer) source.closeDocument(path);
    this.changed();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#surveying);
    clearTimeout(this.#refreshing);
    await Promise.all([...this.#sources.values()].map((source) => source.close()));
  }

  #trustedFolders(): string {
    const folders = this.#options.host.folders().filter((folder) => this.#search.isTrusted(folder));
    return JSON.stringify(folders);
  }

  async #look(): Promise<void> {
    this.#search = new ProgramSearch(this.#options);
    const untrusted = new Map<string, LanguageProgram>();
    const examples = new Map<string, string>();
    const gone = new Set(this.#sources.keys());
    for (const root of this.#options.host.folders()) {
      const { files, projects } = await surveyFiles(root, MAX_SURVEYED_FILES);
      const open = this.#options.host.texts().map(({ path }) => path);
      const all = [...open.filter((path) => isInside(path, root)), ...files];
      for (const project of projects.slice(0, MAX_PROJECTS)) {
        const languages = new Set<string>();
        for (const path of all) {
          if (!isInside(path, project)) continue;
          const language = languageIdOf(path);
          languages.add(language);
          if (!examples.has(language)) examples.set(language, path);
        }
        for (const language of languages) {
          for (const [preferred] of await this.#search.find(language, project, root)) {
            if (preferred !== undefined) gone.delete(this.#sourceOf(preferred).key);
          }
          for (const program of await this.#search.findUntrusted(language, project, root)) {
            untrusted.set(JSON.stringify([program.path, program.folder]), statusOfUntrusted(program));
          }
        }
      }
    }
    this.#examples = examples;
    this.#untrusted = untrusted;
    for (const key of gone) await this.#removeIfGone(key);
    this.#updateAbilities();
  }

  /** A program that was found for a single file is not found by the survey. */
  async #removeIfGone(key: string): Promise<void> {
    const source = this.#sources.get(key);
    if (source === undefined) return;
    const { path, state } = source.status();
    const isUntrusted = [...this.#untrusted.values()].some((program) => program.path === path);
    if (!isUntrusted && (state === 'running' || (await isExecutable(path)))) return;
    this.#sources.delete(key);
    await source.close();
  }

  #updateAbilities(): void {
    const rows = [...this.#sources.values()].flatMap((source) =>
      source instanceof LanguageServer ? [source.row] : [],
    );
    const abilities = {
      features: rows.some(({ isLinter }) => isLinter === undefined),
      codeActions: rows.length > 0,
      format: rows.some(({ formats }) => formats === true),
    };
    const hasChanged = JSON.stringify(abilities) !== JSON.stringify(this.#abilities);
    this.#abilities = abilities;
    if (hasChanged && !this.#isClosed) this.#options.onAbilities(abilities);
  }

  async #diagnose(path: string | undefined, signal: AbortSignal): Promise<void> {
    void this.survey();
    await this.#disk.look();
    const paths = path === undefined ? this.#options.host.texts().map((text) => text.path) : [path];
    await Promise.all(paths.map((each) => this.#diagnoseFile(each, signal)));
  }

  async #diagnoseFile(path: string, signal: AbortSignal, isWanted = (_: DiagnosticsSource) => true): Promise<void> {
    const sources = (await this.#sourcesFor(path)).filter(isWanted);
    const text = sources.length === 0 ? undefined : await this.#textOf(path);
    if (text === undefined) return;
    const { generation } = this.#disk;
    await Promise.all(
      sources.map((source) =>
        source.diagnose({ ...text, generation }, signal).catch((error: Error) => this.#report(source, error)),
      ),
    );
  }

  async #refresh(): Promise<void> {
    const isRunning = (source: DiagnosticsSource) => ['running', 'idle'].includes(source.status().state);
    if (![...this.#sources.values()].some(isRunning)) return;
    await this.#disk.look();
    const deadline = AbortSignal.timeout(DIAGNOSE_MS);
    const { host } = this.#options;
    await Promise.all(host.texts().map(({ path }) => this.#diagnoseFile(path, deadline, isRunning)));
  }

  /** Of each group the preferred program, or the next one if that has failed. */
  async #sourcesFor(path: string): Promise<readonly (LanguageServer | Checker)[]> {
    const roots = this.#options.host.folders().filter((folder) => isInside(path, folder));
    // Of folders within each other, the inner one.
    const root = roots.sort((one, other) => other.length - one.length)[0];
    if (root === undefined || this.#isClosed) return [];
    const groups = await this.#search.find(languageIdOf(path), dirname(path), root);
    const chosen = groups.flatMap((group) => this.#firstUsable(group));
    this.#updateAbilities();
    return chosen;
  }

  #firstUsable(group: readonly FoundProgram[]): readonly (LanguageServer | Checker)[] {
    for (const program of group) {
      const { source } = this.#sourceOf(program);
      if (source.status().state !== 'failed') return [source];
    }
    const [preferred] = group;
    return preferred === undefined ? [] : [this.#sourceOf(preferred).source];
  }

  #sourceOf(program: FoundProgram): { readonly key: string; readonly source: LanguageServer | Checker } {
    const key = JSON.stringify([program.path, program.row.command, program.folder]);
    const source = this.#sources.get(key) ?? this.#makeSource(program);
    this.#sources.set(key, source);
    return { key, source };
  }

  #makeSource({ row, ...program }: FoundProgram): LanguageServer | Checker {
    const { onDiagnostics, onProblem } = this.#options;
    if (row.kind === 'checker') return new Checker({ program: { ...program, row }, onChange: onDiagnostics });
    return new LanguageServer({
      program: { ...program, row },
      onChange: onDiagnostics,
      onProblem,
      onRefresh: () => this.changed(),
      refuseStart: () => {
        const servers = [...this.#sources.values()].filter((each) => each instanceof LanguageServer && each.isStarted);
        return servers.length >= MAX_SERVERS ? `${MAX_SERVERS} language servers run already` : undefined;
      },
    });
  }

  /** The text of a file, as the editor has it or from disk; undefined if it can't be read. */
  async #textOf(path: string): Promise<SourceText | undefined> {
    const { host } = this.#options;
    const open = await host.openText(path);
    if (open !== undefined) return open;
    const text = await host.readText(path).catch(() => undefined);
    return text === undefined ? undefined : { path, languageId: languageIdOf(path), text, isSaved: true };
  }

  async #passOn(changes: readonly DiskChange[]): Promise<void> {
    const servers = [...this.#sources.values()].filter(
      (source) => source instanceof LanguageServer && source.isStarted,
    );
    for (const server of servers as LanguageServer[]) server.filesChanged(changes);
    for (const { path } of changes) {
      const holders = (servers as LanguageServer[]).filter((server) => server.hasOpen(path));
      if (holders.length === 0) continue;
      const text = await this.#textOf(path);
      for (const server of holders) {
        if (text === undefined) server.closeDocument(path);
        else server.sync(text);
      }
    }
  }

  /** A problem of a program is reported once, until another one follows. */
  #report(source: DiagnosticsSource, error: Error): void {
    const { path } = source.status();
    if (this.#isClosed || this.#reported.get(path) === error.message) return;
    this.#reported.set(path, error.message);
    this.#options.onProblem(error);
  }
}

function statusOfUntrusted({ row, path, folder, version }: FoundProgram): LanguageProgram {
  const { kind, languages } = row;
  const name = row.command.filter((word) => word !== '{file}' && word !== '--stdio').join(' ');
  const problem = 'it is part of a folder that you have not trusted; hawser trust lets it run';
  return { name, version, kind, path, folder, languages, state: 'not trusted', problem };
}
