import * as vscode from 'vscode';
import { AGENTS, type AgentKind } from './agents.ts';
import { type HawserCommand, runHawser } from './join.ts';

/** What runs in terminals: agents, started by `hawser run`, which sets their variables itself, and `hawser review`. */
export class Terminals implements vscode.Disposable {
  readonly #hawser: () => HawserCommand;
  readonly #folder: () => string | undefined;
  readonly #stops: vscode.Disposable[];
  readonly #reports = new vscode.EventEmitter<vscode.Uri>();
  #report = '';

  /** `ready` resolves when the bridge is connected, or can't be. */
  constructor(hawser: () => HawserCommand, folder: () => string | undefined, ready: () => Promise<void>) {
    this.#hawser = hawser;
    this.#folder = folder;
    const start = async (agent: AgentKind | undefined) => {
      const chosen = agent ?? (await pickAgent());
      if (chosen === undefined) return;
      await ready();
      vscode.window.createTerminal(this.#agentOptions(chosen)).show();
    };
    this.#stops = [
      this.#reports,
      vscode.workspace.registerTextDocumentContentProvider(REPORT.scheme, {
        onDidChange: this.#reports.event,
        provideTextDocumentContent: () => this.#report,
      }),
      vscode.commands.registerCommand('hawser.startAgent', () => start(undefined)),
      ...AGENTS.map((agent) => vscode.commands.registerCommand(`hawser.start.${agent.name}`, () => start(agent))),
      vscode.commands.registerCommand('hawser.doctor', () => this.#doctor()),
      vscode.window.registerTerminalProfileProvider('hawser.agent', {
        provideTerminalProfile: async () => {
          const chosen = await pickAgent();
          if (chosen === undefined) return undefined;
          await ready();
          return new vscode.TerminalProfile(this.#agentOptions(chosen));
        },
      }),
    ];
  }

  review(): void {
    vscode.window.createTerminal(this.#options('Hawser review', ['review'])).show();
  }

  dispose(): void {
    for (const stop of this.#stops) stop.dispose();
  }

  #agentOptions({ title, command }: AgentKind): vscode.TerminalOptions {
    return {
      ...this.#options(title, ['run', command]),
      iconPath: new vscode.ThemeIcon('sparkle'),
      location: { viewColumn: vscode.ViewColumn.Beside },
    };
  }

  #options(name: string, args: readonly string[]): vscode.TerminalOptions {
    const hawser = this.#hawser();
    const folder = this.#folder();
    return {
      name,
      shellPath: hawser.program,
      shellArgs: [...hawser.args, ...args],
      env: { ...hawser.env },
      ...(folder !== undefined && { cwd: folder }),
    };
  }

  async #doctor(): Promise<void> {
    const folder = this.#folder();
    const show = (report: string) => {
      this.#report = report;
      this.#reports.fire(REPORT);
    };
    if (folder === undefined) show('Open a folder first: Hawser serves folders.');
    else {
      show(`hawser doctor looks at ${folder} …`);
      // It exits with 1 if something is wrong, and has said what.
      const failed = (error: Error & { readonly stdout?: string }) => `${error.stdout ?? ''}${error.message}`;
      void runHawser(this.#hawser(), ['doctor'], folder).catch(failed).then(show);
    }
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(REPORT), { preview: true });
  }
}

/** What `hawser doctor` says, as a document. */
const REPORT = vscode.Uri.from({ scheme: 'hawser-report', path: 'Why is my agent not connected?' });

async function pickAgent(): Promise<AgentKind | undefined> {
  const items = AGENTS.map((agent) => ({ label: agent.title, description: agent.command, agent }));
  return (await vscode.window.showQuickPick(items, { placeHolder: 'Which agent?' }))?.agent;
}
