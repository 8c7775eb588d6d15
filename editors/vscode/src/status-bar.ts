import * as vscode from 'vscode';
import { type Facts, statusText } from './status-text.ts';

/** The state of Hawser in the status bar. A click shows what waits, or a menu. */
export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('hawser', vscode.StatusBarAlignment.Left, 10);

  constructor() {
    this.#item.name = 'Hawser';
  }

  show(facts: Facts): void {
    const { text, tooltip, isUrgent } = statusText(facts);
    this.#item.text = text;
    this.#item.tooltip = tooltip;
    this.#item.command = isUrgent ? 'hawser.show' : 'hawser.menu';
    const colour = 'statusBarItem.warningBackground';
    this.#item.backgroundColor = isUrgent ? new vscode.ThemeColor(colour) : undefined;
    this.#item.show();
  }

  dispose(): void {
    this.#item.dispose();
  }
}
