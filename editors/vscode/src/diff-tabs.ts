import * as vscode from 'vscode';
import { columnForDiffs } from './activity.ts';
import { allTabs } from './document-state.ts';
import { fileOf, idOfTab, NEW, nameOf, OLD, sideOf } from './proposal-uris.ts';
import type { OpenProposal, Proposals } from './proposals.ts';

/** `asked`: the user wants to see it. `front`: the user is idle. `behind`: the user's tab and keys stay as they are. */
export type Place = 'asked' | 'front' | 'behind';

/** More wait in the view alone. */
const MAX_BEHIND = 5;

/** The tabs with diffs of proposals. Closing one puts it away; the proposal waits in the view. */
export class DiffTabs {
  readonly #proposals: Proposals;
  /** Titles of the tabs that show sets, by their ids. */
  readonly #sets = new Map<string, string>();

  constructor(proposals: Proposals) {
    this.#proposals = proposals;
  }

  /** Shows what has come; of a set the first file, when all of it is there: the editor for all takes the focus. */
  offer(proposal: OpenProposal, place: 'front' | 'behind'): 'shown' | 'queued' {
    const { set } = proposal.wire;
    const whole = this.#proposals.wholeSet(proposal);
    const isPartial = set !== undefined && set.size > 1 && whole === undefined;
    const open = allTabs().filter((tab) => this.#idsOf(tab).length > 0).length;
    if (isPartial || (place === 'behind' && open >= MAX_BEHIND)) return 'queued';
    void this.open(whole?.[0] ?? proposal, place);
    return place === 'front' ? 'shown' : 'queued';
  }

  /** Resolves when the tab is there; for huge texts that may take long. */
  async open(proposal: OpenProposal, place: Place): Promise<void> {
    const options = {
      preview: false,
      preserveFocus: place !== 'asked',
      background: place === 'behind',
      viewColumn: columnForDiffs(),
    };
    const title = `${nameOf(proposal)} (${proposal.wire.agent})`;
    const [left, right] = [sideOf(proposal, OLD), sideOf(proposal, NEW)];
    await vscode.commands.executeCommand('vscode.diff', left, right, title, options);
    // It has ended meanwhile.
    if (this.#proposals.get(proposal.id) === undefined) await this.close(proposal);
  }

  /** All files of a set in one editor. */
  async openSet(members: readonly OpenProposal[]): Promise<void> {
    const set = members[0]?.wire.set;
    if (set === undefined) return;
    const title = `${set.title} (${members[0]?.wire.agent})`;
    this.#sets.set(set.id, title);
    const files = members.map((each) => [fileOf(each.wire.uri), sideOf(each, OLD), sideOf(each, NEW)]);
    await vscode.commands.executeCommand('vscode.changes', title, files);
  }

  isOpen(proposal: OpenProposal): boolean {
    return allTabs().some((tab) => this.#idsOf(tab).includes(proposal.id));
  }

  isInFront(proposal: OpenProposal): boolean {
    return vscode.window.tabGroups.all.some(({ activeTab }) => this.#idsOf(activeTab).includes(proposal.id));
  }

  /** An open proposal is in front somewhere: no other takes its place. */
  isReviewing(): boolean {
    return this.#proposals.all().some((proposal) => this.isInFront(proposal));
  }

  async close(proposal: OpenProposal): Promise<void> {
    const tabs = allTabs().filter((tab) => idOfTab(tab) === proposal.id);
    const { set } = proposal.wire;
    const title = set && this.#sets.get(set.id);
    if (set && title !== undefined && !this.#proposals.all().some((each) => each.wire.set?.id === set.id)) {
      this.#sets.delete(set.id);
      tabs.push(...allTabs().filter((tab) => isSetTab(tab, title)));
    }
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
  }

  /** What an earlier life of this window has left. */
  async closeLeftovers(): Promise<void> {
    const left = allTabs().filter((tab) => {
      const id = idOfTab(tab);
      return id !== undefined && this.#proposals.get(id) === undefined;
    });
    if (left.length > 0) await vscode.window.tabGroups.close(left, true);
  }

  #idsOf(tab: vscode.Tab | undefined): readonly string[] {
    const id = idOfTab(tab);
    if (id !== undefined) return [id];
    const set = [...this.#sets].find(([, title]) => tab !== undefined && isSetTab(tab, title))?.[0];
    return set === undefined ? [] : this.#proposals.all().flatMap((each) => (each.wire.set?.id === set ? each.id : []));
  }
}

/** There is no stable API for what such a tab shows. */
function isSetTab({ label, input }: vscode.Tab, title: string): boolean {
  return label.startsWith(title) && (input === undefined || Object.getPrototypeOf(input) === Object.prototype);
}
