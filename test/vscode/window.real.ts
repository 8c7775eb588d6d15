import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testAgents } from './by-hand/agents.ts';
import { testKeystrokes } from './by-hand/keystrokes.ts';
import { testProposals } from './by-hand/proposals.ts';
import { testViews } from './by-hand/views.ts';
import { testWindows } from './by-hand/windows.ts';
import { User } from './user.ts';
import { PRODUCT } from './workbench.ts';

// The extension by the hand of a user, in one window: keys, clicks, and what is on the screen.

const PROGRAMS = process.env.HAWSER_BIN ?? '';
let user: User;
const get = () => user;

beforeAll(async () => {
  const path = `${PROGRAMS}:${process.env.PATH}`;
  makeAgent('claude');
  user = await User.sitDown({
    extension: PRODUCT,
    // What a test writes is no agent's.
    settings: { 'hawser.noticing': false, 'terminal.integrated.env.linux': { PATH: path } },
    env: { PATH: path },
  });
  await user.letAgentIn();
});
afterAll(() => user?.leave());

/** A program of this name that says what it was started with. */
function makeAgent(name: string): void {
  mkdirSync(PROGRAMS, { recursive: true });
  const script =
    'echo "port $CLAUDE_CODE_SSE_PORT electron [$ELECTRON_RUN_AS_NODE]" > "$(dirname "$0")/new"; mv "$(dirname "$0")/new" "$(dirname "$0")/started"';
  writeFileSync(join(PROGRAMS, name), `#!/bin/sh\n${script}\nread line\n`);
  chmodSync(join(PROGRAMS, name), 0o755);
}

beforeEach(async () => {
  await user.window.command('workbench.action.closeAllEditors');
  await user.window.command('notifications.clearAll');
});
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail' && process.env.HAWSER_SHOTS) {
    const name = `${task.name.replace(/\W+/g, '-').slice(0, 60)}.png`;
    await user.window.page.screenshot({ path: join(process.env.HAWSER_SHOTS, name) });
  }
  await user.tidy();
});

describe('the extension', () => {
  it('takes less than 20 ms to activate, and has started a bridge that agents find', async () => {
    const ms = await user.window.run(
      () => (globalThis as unknown as { hawserActivationMs: number }).hawserActivationMs,
    );
    console.log(`activation: ${ms.toFixed(1)} ms of processor time`);
    expect(ms).toBeLessThan(20);
    expect((await user.status()).editor).toContain('code');
  });
});
describe('a proposal', () => testProposals(get));
describe('a proposal that comes unasked', () => testKeystrokes(get));
describe('the view and the status bar', () => testViews(get));
describe('agents', () => testAgents(get, PROGRAMS));
describe('a window', () => testWindows(get));
