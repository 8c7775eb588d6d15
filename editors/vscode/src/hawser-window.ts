import type { Duplex } from 'node:stream';
import { type EditorCapabilities, type ParamsOf, PROTOCOL_VERSION } from '@hawser/editor-protocol';
import { messageOf } from '@hawser/unknown-values/thrown';
import * as vscode from 'vscode';
import { Activity } from './activity.ts';
import { AgentsView } from './agents-view.ts';
import { DiffTabs } from './diff-tabs.ts';
import { isDocument, wireRange, wireUri } from './document-state.ts';
import { Drafts } from './drafts.ts';
import { editorRequests } from './editor-requests.ts';
import { EditorState } from './editor-state.ts';
import { FileStamps } from './file-stamps.ts';
import { HunkLenses } from './hunk-lenses.ts';
import { languageRequests } from './language.ts';
import { MissedNotice } from './missed-notice.ts';
import { NoteThreads } from './note-threads.ts';
import { isSide } from './proposal-uris.ts';
import { Proposals } from './proposals.ts';
import { QueueView } from './queue-view.ts';
import { reviewCommands } from './review-commands.ts';
import { Reviewing } from './reviewing.ts';
import { Sides } from './sides.ts';
import { StatusBar } from './status-bar.ts';
import { Wire, type WireHandlers } from './wire.ts';

export interface WindowOptions {
  /** Where what the user types in proposals is kept. */
  readonly storage: string;
  /** The main one first. */
  readonly folders: () => readonly string[];
  /** A stream to the bridge of the main folder. */
  readonly dial: () => Promise<Duplex>;
  /** Agents that are left to the extensions of their vendors. */
  readonly left: () => readonly string[];
  readonly reviewInTerminal: () => void;
  /** The hands of a user, in tests. */
  readonly hands?: ((window: HawserWindow) => WireHandlers) | undefined;
  readonly capabilities?: EditorCapabilities | undefined;
}

type Status = ParamsOf<'bridge/status'>;

/** This window as an editor and a reviewer of a bridge. */
export class HawserWindow implements vscode.Disposable {
  readonly proposals = new Proposals();
  readonly tabs = new DiffTabs(this.proposals);
  readonly notes = new NoteThreads(this.proposals);
  readonly queue = new QueueView(this.proposals);
  readonly reviewing: Reviewing;
  readonly drafts: Drafts;
  readonly #options: WindowOptions;
  readonly #sides = new Sides(this.proposals);
  readonly #activity = new Activity();
  readonly #files = new FileStamps();
  readonly #lenses: HunkLenses;
  readonly #agents = new AgentsView();
  readonly #statusBar = new StatusBar();
  readonly #missed: MissedNotice;
  readonly #stops: vscode.Disposable[] = [];
  #wire: Wire | undefined;
  #state: EditorState | undefined;
  #status: Status | undefined;
  #link: 'off' | 'connecting' | 'connected' = 'off';
  #problem: string | undefined;
  #isDisposed = false;

  constructor(options: WindowOptions) {
    this.#options = options;
    this.drafts = new Drafts(options.storage);
    const changed = () => this.#refresh();
    const wire = () => this.#wire;
    const { proposals, tabs, notes, drafts } = this;
    const [sides, activity] = [this.#sides, this.#activity];
    this.reviewing = new Reviewing({ proposals, sides, tabs, drafts, notes, activity, wire, changed });
    this.#lenses = new HunkLenses(proposals, (proposal) => this.reviewing.hunks(proposal));
    this.#missed = new MissedNotice(() => this.queue.isVisible || tabs.isReviewing());
    const { reviewing } = this;
    const { reviewInTerminal } = options;
    const commands = reviewCommands({ proposals, reviewing, tabs, lenses: this.#lenses, notes, reviewInTerminal });
    for (const [name, run] of Object.entries(commands)) this.#command(name, run);
    this.#command('hawser.pause', () => this.#wire?.notify('editor/pause', { paused: true }));
    this.#command('hawser.resume', () => this.#wire?.notify('editor/pause', { paused: false }));
    this.#command('hawser.connect', () => this.connect());
    this.#command('hawser.reviewInBrowser', () => this.#reviewInBrowser());
    this.#command('hawser.mention', (uri?: vscode.Uri) => this.mention(uri));
    this.#stops.push(
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        void vscode.commands.executeCommand('setContext', 'hawser.inProposal', isSide(editor?.document.uri));
      }),
    );
    this.#refresh();
  }

  /** Joins the bridge of the folder, or starts it. Failures are shown, not thrown. */
  async connect(): Promise<void> {
    if (this.#link !== 'off' || this.#isDisposed) return;
    this.#setLink('connecting');
    try {
      await this.tabs.closeLeftovers();
      const stream = await this.#options.dial();
      if (this.#isDisposed) return void stream.destroy();
      await this.#begin(stream);
    } catch (error) {
      this.#setLink('off', messageOf(error));
    }
  }

  /** Points agents to a file, or to what is selected. */
  mention(given?: vscode.Uri, lines?: vscode.Range): void {
    const editor = vscode.window.activeTextEditor;
    const uri = given ?? editor?.document.uri;
    if (uri === undefined || !isDocument(uri)) return;
    const isSelected = given === undefined && editor !== undefined && !editor.selection.isEmpty;
    const range = lines ?? (isSelected ? editor.selection : undefined);
    this.#wire?.notify('editor/mention', { uri: wireUri(uri), ...(range && { range: wireRange(range) }) });
  }

  /** The folders have changed. */
  sendFolders(): void {
    this.#state?.sendFolders();
  }

  sendState(): void {
    this.#state?.send();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.drafts.flush();
    this.#wire?.close();
    this.#state?.dispose();
    const parts = [this.reviewing, this.notes, this.#lenses, this.queue, this.#agents, this.#statusBar];
    for (const part of [...parts, this.#sides, this.#activity, this.#files, this.#missed, ...this.#stops])
      part.dispose();
  }

  async #begin(stream: Duplex): Promise<void> {
    const handlers: WireHandlers = {
      ...editorRequests(() => this.#state?.send(), this.#files),
      ...languageRequests,
      ...this.reviewing.handlers,
      'window/showMessage': ({ type, message }) => {
        if (type === 1) void vscode.window.showErrorMessage(message);
        else if (type === 2) void vscode.window.showWarningMessage(message);
        else vscode.window.setStatusBarMessage(message, 5000);
      },
      'bridge/status': (status) => {
        this.#status = status;
        this.#refresh();
      },
      ...this.#options.hands?.(this),
    };
    const wire = new Wire(stream, handlers, (reason) => this.#ended(wire, reason));
    await wire.request('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      processId: process.pid,
      clientInfo: { name: vscode.env.appName, version: vscode.version },
      workspaceFolders: this.#options.folders().map((path) => ({ uri: wireUri(vscode.Uri.file(path)) })),
      capabilities: { ...CAPABILITIES, ...this.#options.capabilities },
    });
    this.#wire = wire;
    wire.notify('initialized', undefined);
    this.#state = new EditorState(wire, this.#options.folders);
    this.#setLink('connected');
    this.drafts.sweep((id) => this.proposals.get(id) !== undefined);
  }

  #ended(wire: Wire, { message }: Error): void {
    if (this.#wire !== wire) return;
    this.#wire = undefined;
    this.#state?.dispose();
    this.#state = undefined;
    this.#status = undefined;
    this.drafts.flush();
    const open = this.proposals.all();
    this.proposals.clear();
    for (const proposal of open) {
      this.notes.remove(proposal.id);
      void this.tabs.close(proposal);
    }
    if (this.#isDisposed) return;
    this.#setLink('off', message);
    const edited = open.filter(({ isEdited }) => isEdited);
    if (edited.length > 0) {
      const files = edited.map(({ draft }) => this.drafts.rescue(draft)).join(', ');
      void vscode.window.showWarningMessage(`The bridge has ended. What you had typed is kept in ${files}`);
    }
  }

  async #reviewInBrowser(): Promise<void> {
    try {
      const page = await this.#wire?.request('review/openPage', {});
      if (page === undefined) throw new Error('Hawser is not connected.');
      await openLink(page.link);
    } catch (error) {
      void vscode.window.showWarningMessage(messageOf(error));
    }
  }

  #command(name: string, run: (...args: never[]) => unknown): void {
    this.#stops.push(vscode.commands.registerCommand(name, run as (...args: unknown[]) => unknown));
  }

  #setLink(link: 'off' | 'connecting' | 'connected', problem?: string): void {
    this.#link = link;
    this.#problem = problem;
    this.#refresh();
  }

  #refresh(): void {
    if (this.#isDisposed) return;
    const { agents = [], paused = false } = this.#status ?? {};
    const waiting = this.proposals.size;
    const left = this.#options.left();
    const names = [...new Set(agents.map(({ name }) => name))];
    this.#statusBar.show({ link: this.#link, problem: this.#problem, agents: names, paused, waiting, left });
    this.queue.refresh();
    this.#agents.show(agents, left, paused);
    this.#lenses.refresh();
    this.#missed.look(waiting);
    const keys = {
      'hawser.paused': paused,
      'hawser.waiting': waiting > 0,
      'hawser.connected': this.#link === 'connected',
    };
    for (const [key, value] of Object.entries(keys)) void vscode.commands.executeCommand('setContext', key, value);
  }
}

/** In the browser of the user, which may be on another machine than the bridge: VS Code forwards the port. */
async function openLink(link: string): Promise<void> {
  const uri = vscode.Uri.parse(link, true);
  // A proxy that serves it under another path, as that of code-server does, would serve no page.
  const isWhole = (await vscode.env.asExternalUri(uri)).path === uri.path;
  if (isWhole && (await vscode.env.openExternal(uri))) return;
  const [where, copy] = [`where the bridge runs (port ${uri.authority.split(':').at(-1)})`, 'Copy Link'];
  const choice = await vscode.window.showInformationMessage(
    `Open the link in a browser ${where}. It works once.`,
    copy,
  );
  if (choice === copy) await vscode.env.clipboard.writeText(link);
}

const CAPABILITIES: EditorCapabilities = {
  showDocument: true,
  documents: true,
  save: true,
  close: true,
  diagnostics: true,
  format: true,
  language: Object.keys(languageRequests),
  proposals: { effects: ['edit', 'delete', 'command', 'noticed', 'noticedDelete'] },
};
