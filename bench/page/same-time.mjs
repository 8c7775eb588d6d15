import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FrameReader, frameOf } from '@hawser/editor-protocol';
import { program } from '../bridge/build.mjs';
import { TerminalProgram } from '../bridge/terminal-program.mjs';
import { median } from '../statistics.mjs';
import { openBrowser, openPage } from './browser.mjs';

const AT_MOST_MS = 100;
const OLD = Array.from({ length: 200 }, (_, index) => `const value${index} = ${index};\n`).join('');
const now = () => performance.timeOrigin + performance.now();

/** Two browsers, a terminal and an editor on one bridge: how much later than the first the last of them shows the same. */
export async function sameTime({ quick }) {
  const browser = await openBrowser();
  const bridge = await TerminalProgram.open();
  const editor = await openEditor(bridge.workspace, bridge.env);
  try {
    const pages = [await readyPage(browser, bridge), await readyPage(browser, bridge)];
    const agent = await bridge.agent();
    /** @type {[number[], number[]]} */
    const [shown, ended] = [[], []];
    for (let round = 0; round < (quick ? 4 : 21); round++) {
      const name = `file${round}.ts`;
      const path = join(bridge.workspace, name);
      writeFileSync(path, OLD);
      const args = {
        old_file_path: path,
        new_file_path: path,
        new_file_contents: OLD.replace('= 7;', '= 77;'),
        tab_name: name,
      };
      bridge.output = '';
      const showing = [
        ...pages.map((page) => appears(page, name)),
        bridge.shows(name).then(now),
        editor.message('proposal/show'),
      ];
      const answer = agent.request(name, 'tools/call', { name: 'openDiff', arguments: args });
      const times = await Promise.all(showing);
      // The first round compiles what it runs.
      if (round > 0) shown.push(Math.max(...times) - Math.min(...times));
      bridge.output = '';
      const [first, other] = pages;
      const ending = [
        appears(other, 'in the browser'),
        bridge.shows('in the browser').then(now),
        editor.message('proposal/close'),
      ];
      const began = await first.evaluate(`
        [...document.querySelectorAll('button')].find((each) => each.textContent === 'Accept').click();
        performance.timeOrigin + performance.now();`);
      const last = Math.max(...(await Promise.all(ending)));
      if (round > 0) ended.push(last - began);
      await answer;
      await other.getByRole('button', { name: 'Go on' }).click();
      await bridge.key('\r');
    }
    return [
      ...rowsOf('a change: from the first view that shows it to the last', shown),
      ...rowsOf('a decision in a browser: until all others show whose it was', ended),
    ];
  } finally {
    editor.close();
    await browser.close();
    await bridge.close();
  }
}

function rowsOf(label, times) {
  return [
    { label: `${label}, median`, value: median(times), unit: 'ms', atMost: AT_MOST_MS },
    { label: 'the same, at most', value: Math.max(...times), unit: 'ms' },
  ];
}

async function readyPage(browser, bridge) {
  const { page, open } = await openPage(browser, bridge);
  await open();
  await page.getByText('No change waits for you.').waitFor();
  return page;
}

/** When the next frame with this text in the change begins. */
function appears(page, text) {
  return page.evaluate(`new Promise((resolve) => {
    const look = () => {
      if (document.querySelector('main')?.textContent.includes(${JSON.stringify(text)}) !== true) return;
      observer.disconnect();
      requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now()));
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    look();
  })`);
}

/** An editor that has joined the bridge of the folder, and answers that it shows what it is shown. */
async function openEditor(folder, env) {
  const child = spawn(process.execPath, [program, 'editor'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const frames = new FrameReader(64 * 1024 * 1024);
  const waiting = new Map();
  const send = (message) => child.stdin.write(frameOf(JSON.stringify({ jsonrpc: '2.0', ...message })));
  child.stdout.on('data', (chunk) => {
    frames.push(chunk);
    for (let body = frames.take(); body !== undefined; body = frames.take()) {
      const { id, method = 'response' } = JSON.parse(body);
      waiting.get(method)?.(now());
      waiting.delete(method);
      if (method === 'proposal/show') send({ id, result: { state: 'shown' } });
    }
  });
  const message = (method) => new Promise((resolve) => waiting.set(method, resolve));
  const answered = message('response');
  const workspaceFolders = [{ uri: pathToFileURL(folder).href }];
  const params = {
    protocolVersion: 1,
    clientInfo: { name: 'Bench' },
    workspaceFolders,
    capabilities: { proposals: {} },
  };
  send({ id: 1, method: 'initialize', params });
  await answered;
  const ready = message('bridge/status');
  send({ method: 'initialized', params: {} });
  await ready;
  return { message, close: () => child.kill() };
}
