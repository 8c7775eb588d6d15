import * as vscode from 'vscode';
import { fileOf, nameOf } from './proposal-uris.ts';
import { OpenProposal, type ProposalGroup, type Proposals } from './proposals.ts';

type Node = ProposalGroup | OpenProposal;

/** What waits for a decision; the files of a set below it. */
export class QueueView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly #proposals: Proposals;
  readonly #changes = new vscode.EventEmitter<undefined>();
  readonly #view: vscode.TreeView<Node>;
  readonly onDidChangeTreeData = this.#changes.event;

  constructor(proposals: Proposals) {
    this.#proposals = proposals;
    this.#view = vscode.window.createTreeView('hawser.queue', { treeDataProvider: this });
  }

  get isVisible(): boolean {
    return this.#view.visible;
  }

  refresh(): void {
    this.#changes.fire(undefined);
    const { size: value } = this.#proposals;
    const tooltip = value === 1 ? '1 change waits for your decision' : `${value} changes wait for your decision`;
    this.#view.badge = value === 0 ? undefined : { value, tooltip };
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) {
      return this.#proposals.groups().flatMap((group): readonly Node[] => (isSet(group) ? [group] : group.members));
    }
    return node instanceof OpenProposal ? [] : [...node.members];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node instanceof OpenProposal) return proposalItem(node);
    const item = new vscode.TreeItem(node.set?.title ?? '', vscode.TreeItemCollapsibleState.Expanded);
    item.description = `${node.agent}, ${node.members.length} files`;
    item.iconPath = new vscode.ThemeIcon('diff-multiple');
    item.contextValue = 'set';
    item.command = { command: 'hawser.showSet', title: 'Show', arguments: [node] };
    return item;
  }

  dispose(): void {
    this.#view.dispose();
    this.#changes.dispose();
  }
}

function isSet({ set }: ProposalGroup): boolean {
  return set !== undefined && set.size > 1;
}

const EFFECTS = {
  edit: undefined,
  delete: 'delete',
  command: 'run a command',
  noticed: 'already written',
  noticedDelete: 'already deleted',
} as const;

function noteCount(notes: number): string | undefined {
  return notes === 0 ? undefined : notes === 1 ? '1 note' : `${notes} notes`;
}

function stateOf({ progress }: OpenProposal): string | undefined {
  if (progress.kind === 'decided') return progress.decision;
  if (progress.kind === 'failed') return `not written: ${progress.reason}`;
  return progress.kind === 'applying' ? 'writing…' : undefined;
}

function proposalItem(proposal: OpenProposal): vscode.TreeItem {
  const { wire } = proposal;
  const item = new vscode.TreeItem(nameOf(proposal));
  item.id = proposal.id;
  item.resourceUri = fileOf(wire.uri);
  item.iconPath = wire.effect === 'command' ? new vscode.ThemeIcon('terminal') : vscode.ThemeIcon.File;
  const facts = [
    wire.agent,
    wire.isNewFile ? 'new' : EFFECTS[wire.effect],
    proposal.isEdited ? 'edited by you' : undefined,
    noteCount(proposal.notes.length),
    proposal.size === 'too large' ? 'too large to show' : undefined,
    stateOf(proposal),
  ];
  item.description = facts.filter((fact) => fact !== undefined).join(' · ');
  const path = vscode.workspace.asRelativePath(fileOf(wire.uri));
  item.tooltip = [path, wire.title, wire.advice].filter((line) => line !== undefined).join('\n');
  item.contextValue = wire.noteDelivery === 'none' ? 'proposal' : 'proposal notes';
  item.command = { command: 'hawser.show', title: 'Show', arguments: [proposal] };
  return item;
}
