import * as vscode from 'vscode';

/** How long something waits unseen before the user is told. */
const UNSEEN_MS = 20_000;

/** Tells the user of a change that waits, once, if neither a diff nor the view has shown it for a while. */
export class MissedNotice implements vscode.Disposable {
  readonly #isSeen: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #wasTold = false;

  constructor(isSeen: () => boolean) {
    this.#isSeen = isSeen;
  }

  look(waiting: number): void {
    if (waiting === 0) {
      this.dispose();
      this.#wasTold = false;
    } else if (!this.#wasTold) {
      this.#timer ??= setTimeout(() => this.#tell(waiting), UNSEEN_MS);
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #tell(waiting: number): void {
    this.#timer = undefined;
    this.#wasTold = true;
    const isWanted = vscode.workspace.getConfiguration('hawser').get<boolean>('notify') === true;
    if (this.#isSeen() || !isWanted) return;
    const text = waiting === 1 ? 'A change waits for your decision.' : `${waiting} changes wait for your decision.`;
    void vscode.window.showInformationMessage(text, 'Show').then((choice) => {
      if (choice !== undefined) void vscode.commands.executeCommand('hawser.show');
    });
  }
}
