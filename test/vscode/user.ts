import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { OpenAdapter } from '../../packages/bridge/src/agent.ts';
import { type Agent, connectAgent } from '../../packages/bridge/testing/agent.ts';
import { openDiff, PROGRAM } from '../../packages/bridge/testing/program.ts';
import { until, type Window, Workbench, type WorkbenchOptions } from './workbench.ts';

export const OLD = `${Array.from({ length: 40 }, (_, index) => `export const v${index} = ${index};`).join('\n')}\n`;
export const NEW = OLD.replace('v3 = 3;', 'v3 = 33;').replace('v20 = 20;', 'v20 = 2020;\nexport const added = 1;');

const run = promisify(execFile);

/** A user of VS Code: what is on the screen, keys and clicks, and an agent that works in the folder. */
export class User {
  readonly workbench: Workbench;
  /** The one that the user looks at. */
  window: Window;
  #agent: Agent | undefined;

  private constructor(workbench: Workbench, window: Window) {
    this.workbench = workbench;
    this.window = window;
  }

  /** In a window that has joined the bridge of its folder. */
  static async sitDown(options: WorkbenchOptions): Promise<User> {
    const workbench = await Workbench.start(options);
    try {
      const user = new User(workbench, await workbench.open());
      await user.isConnected();
      return user;
    } catch (error) {
      await workbench.close();
      throw error;
    }
  }

  async leave(): Promise<void> {
    this.#agent?.close();
    await this.hawser('stop').catch(() => {});
    await this.workbench.close();
  }

  async isConnected(): Promise<void> {
    await until(() => this.window.page.locator(`${STATUS} .codicon-plug`).count());
  }

  get agent(): Agent {
    if (this.#agent === undefined) throw new Error('No agent is connected');
    return this.#agent;
  }

  /** Connects an agent that speaks as Claude Code does. */
  async letAgentIn(): Promise<void> {
    const { endpoints, discoveryFiles } = await until(() => this.adapter('claude-code').catch(() => undefined));
    const { authToken } = JSON.parse(readFileSync(discoveryFiles[0] as string, 'utf8'));
    this.#agent = await connectAgent(endpoints[0] as string, authToken);
    await this.#agent.initialize();
    await until(async () => (await this.statusBar()).includes('claude-code'));
  }

  /** `hawser` in a terminal of the folder. */
  async hawser(...args: string[]): Promise<string> {
    const env = { ...process.env, ...this.workbench.env };
    return (await run(process.execPath, [PROGRAM, ...args], { cwd: this.workbench.folder, env })).stdout;
  }

  async status(): Promise<{ readonly agents: readonly OpenAdapter[]; readonly [name: string]: unknown }> {
    return JSON.parse(await this.hawser('status', '--json'));
  }

  async adapter(name: string): Promise<OpenAdapter> {
    return (await this.status()).agents.find((each) => each.name === name) as OpenAdapter;
  }

  statusBar(): Promise<string> {
    return this.window.page
      .locator(STATUS)
      .innerText()
      .catch(() => '');
  }

  tabs() {
    return this.window.run((api) =>
      api.window.tabGroups.all.flatMap((group) =>
        group.tabs.map((tab) => ({ label: tab.label, isActive: tab.isActive, isDirty: tab.isDirty })),
      ),
    );
  }

  async tab(label: string) {
    return (await this.tabs()).find((tab) => tab.label.startsWith(label));
  }

  /** Resolves when a tab with this name is in front of its group. */
  async sees(label: string): Promise<void> {
    await until(async () => (await this.tab(label))?.isActive);
  }

  async gone(label: string): Promise<void> {
    await until(async () => (await this.tab(label)) === undefined);
  }

  /** The text of the side of the diff in front. */
  side(which: 'original' | 'modified'): Promise<string | undefined> {
    return this.window.run((api, name) => {
      const input = api.window.tabGroups.activeTabGroup.activeTab?.input as Record<string, unknown> | undefined;
      const uri = String(input?.[name]);
      return api.workspace.textDocuments.find((each) => each.uri.toString() === uri)?.getText();
    }, which);
  }

  /** Resolves when the right side of the diff in front contains this. */
  async rightHas(text: string): Promise<void> {
    await until(async () => (await this.side('modified'))?.includes(text));
  }

  activeText(): Promise<string | undefined> {
    return this.window.run((api) => api.window.activeTextEditor?.document.getText());
  }

  async press(...keys: string[]): Promise<void> {
    for (const each of keys) await this.window.page.keyboard.press(each);
  }

  async type(text: string): Promise<void> {
    await this.window.page.keyboard.type(text);
  }

  /** Puts the cursor into a line of the right side. */
  async focus(line = 'v10 = 10;'): Promise<void> {
    await this.window.page.locator('.editor.modified .view-line', { hasText: line }).first().click();
  }

  /** Decides on the proposal in front with the keys for that. Returns what the agent receives. */
  async decides<Told>(how: 'accept' | 'reject', outcome: Promise<Told>): Promise<Told> {
    await this.focus();
    await this.press(how === 'accept' ? 'Control+Enter' : 'Alt+Shift+KeyN');
    return outcome;
  }

  /** Types at the end of a line that no one changes, and waits until the extension has it. */
  async edits(text: string): Promise<void> {
    await this.focus();
    await this.press('End');
    await this.type(text);
    await this.rightHas(text);
  }

  /** Writes a note with the plus in the margin of a line of the right side. */
  async beginsNote(line: string, text: string): Promise<void> {
    const { page } = this.window;
    const place = page.locator('.editor.modified .view-line', { hasText: line }).first();
    await place.hover();
    const { y = 0 } = (await place.boundingBox()) ?? {};
    const margin = (await page.locator('.editor.modified .comment-range-glyph').first().boundingBox()) ?? {
      x: 0,
      width: 0,
    };
    await page.mouse.click(margin.x + margin.width / 2, y + 8);
    await page.locator('.review-widget .monaco-editor').first().click();
    await this.type(text);
  }

  async opensFile(name: string, text: string): Promise<string> {
    const path = this.workbench.file(name, text);
    await this.agent.call('openFile', { filePath: path });
    await this.window.page.locator('.monaco-editor .view-line').first().click();
    return path;
  }

  async opensView(): Promise<void> {
    await this.window.command('workbench.view.extension.hawser');
  }

  row(text: string) {
    return this.window.page.locator('.pane-body .monaco-list-row', { hasText: text }).first();
  }

  /** Clicks on a button of a row, which shows while the mouse is over it. The list may be drawn anew in between. */
  async clicksInRow(text: string, label: string): Promise<void> {
    const row = this.row(text);
    const button = row.locator(`.action-label[aria-label^="${label}"]`);
    await until(async () => {
      await row.hover();
      return await button.click({ timeout: 1000 }).then(
        () => true,
        () => false,
      );
    });
  }

  /** A proposal that waits; the outcome is what the agent is told. */
  propose(name: string, { oldText = OLD, newText = NEW } = {}) {
    const path = this.workbench.file(name, oldText);
    return { path, outcome: openDiff(this.agent, path, newText, name) };
  }

  /** A proposal that the user looks at. */
  async reviews(name: string, texts: { readonly oldText?: string; readonly newText?: string } = {}) {
    const proposal = this.propose(name, texts);
    await until(async () => (await this.tab(name)) !== undefined);
    await this.window.command('hawser.show');
    await this.sees(name);
    await this.window.page.locator('.editor.modified .view-lines').first().waitFor();
    await until(async () => (await this.side('modified')) !== undefined);
    return proposal;
  }

  async clickLens(text: string): Promise<void> {
    await this.window.page.locator('.codelens-decoration a', { hasText: text }).first().click();
  }

  async clickTitle(label: string): Promise<void> {
    await this.window.page.locator(`.editor-actions .action-label[aria-label^="${label}"]`).first().click();
  }

  notification(text: string) {
    return this.window.page.locator('.notification-list-item', { hasText: text });
  }

  /** The user does nothing for a while: the clock of the extension host goes on by this. */
  async rests(seconds: number): Promise<void> {
    await this.window.run((_api, ms) => {
      const now = performance.now.bind(performance);
      performance.now = () => now() + ms;
    }, seconds * 1000);
  }

  /** What a test may have left. */
  async tidy(): Promise<void> {
    for (const { id } of JSON.parse(await this.hawser('review', '--list', '--json').catch(() => '[]'))) {
      await this.hawser('review', '--reject', id).catch(() => {});
    }
  }
}

const STATUS = '[id="hawser-dev.hawser.hawser"]';
