import type { ParamsOf } from '@hawser/editor-protocol';
import * as vscode from 'vscode';

export type ConnectedAgent = ParamsOf<'bridge/status'>['agents'][number];
/** An agent that is connected, or the name of one that is left to its vendor's extension. */
type Node = ConnectedAgent | string;

const STATES = { waiting: 'waits', initializing: 'connecting', ready: 'connected' } as const;

export class AgentsView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly #changes = new vscode.EventEmitter<undefined>();
  readonly #view: vscode.TreeView<Node>;
  readonly onDidChangeTreeData = this.#changes.event;
  #nodes: readonly Node[] = [];

  constructor() {
    this.#view = vscode.window.createTreeView('hawser.agents', { treeDataProvider: this });
  }

  show(agents: readonly ConnectedAgent[], left: readonly string[], paused: boolean): void {
    this.#nodes = [...agents, ...left];
    this.#view.description = paused ? 'paused' : '';
    this.#changes.fire(undefined);
  }

  getChildren(node?: Node): Node[] {
    return node === undefined ? [...this.#nodes] : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const item = new vscode.TreeItem(typeof node === 'string' ? node : node.name);
    item.iconPath = new vscode.ThemeIcon(typeof node === 'string' ? 'extensions' : 'sparkle');
    item.description =
      typeof node === 'string' ? 'left to its own extension' : `${node.version ?? ''} ${STATES[node.state]}`.trim();
    return item;
  }

  dispose(): void {
    this.#view.dispose();
    this.#changes.dispose();
  }
}
