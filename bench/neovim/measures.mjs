import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../statistics.mjs';
import { openNeovim, root } from './neovim.mjs';
import { openServed } from './served.mjs';

const DEBOUNCE_MS = 20;

/** What the plugin adds to the start of Neovim, by its own account. */
export async function startup({ program }) {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-bench-'));
  const log = join(folder, 'startuptime');
  const costs = [];
  for (let round = 0; round < 20; round++) {
    rmSync(log, { force: true });
    const args = ['--clean', '--headless', '--cmd', `set runtimepath^=${root}`, '--startuptime', log, '-c', 'quitall!'];
    execFileSync(program, args, { env: { PATH: process.env.PATH, HOME: folder }, stdio: 'ignore' });
    const line = readFileSync(log, 'utf8')
      .split('\n')
      .find((each) => each.includes(`${root}/plugin/hawser.lua`));
    costs.push(Number(line?.trim().split(/\s+/)[1]));
  }
  rmSync(folder, { recursive: true });
  return [{ label: 'the plugin at the start', value: median(costs), unit: 'ms', atMost: 1 }];
}

/** The longest time in which the editor does nothing else while a large proposal arrives and waits for its turn. */
export async function stall(neovim) {
  const served = await openServed(neovim, '{ noticing = false }');
  try {
    const path = join(served.home, 'large.txt');
    const text = 'some words that fill a line of sixty-three characters, no more\n'.repeat((4 * 1024 * 1024) / 64);
    writeFileSync(path, text);
    // While the user types, a proposal is not drawn.
    await served.nvim.request('nvim_input', ['i']);
    await served.until("vim.api.nvim_get_mode().mode == 'i'");
    await served.lua(`_G.longest = 0
      local last = vim.loop.hrtime()
      local timer = vim.loop.new_timer()
      timer:start(1, 1, function()
        local now = vim.loop.hrtime()
        _G.longest = math.max(_G.longest, (now - last) / 1e6)
        last = now
      end)`);
    const longest = async () => {
      const found = await served.lua('return _G.longest');
      await served.lua('_G.longest = 0');
      return found;
    };
    /** @type {number[][]} */
    const [idle, busy] = [[], []];
    for (let round = 0; round < 9; round++) {
      await longest();
      await delay(300);
      idle.push(await longest());
      const params = {
        name: 'openDiff',
        arguments: {
          old_file_path: path,
          new_file_path: path,
          new_file_contents: text.replaceAll('sixty-three', `sixty-${round + 10}`),
          tab_name: `round ${round}`,
        },
      };
      served.send({ id: round + 1, method: 'tools/call', params });
      await served.until("#require('hawser.diff').pending() == 1");
      busy.push(await longest());
      served.send({ id: 100 + round, method: 'tools/call', params: { name: 'closeAllDiffTabs', arguments: {} } });
      await served.until("#require('hawser.diff').pending() == 0");
    }
    return [
      { label: 'longest stall of 300 idle ms', value: median(idle), unit: 'ms' },
      { label: 'longest stall while an openDiff of 4 MiB arrives', value: median(busy), unit: 'ms', atMost: 20 },
    ];
  } finally {
    await served.close();
  }
}

/** From a key that moves the cursor to the notification at the agent. */
export async function cursor(neovim) {
  const served = await openServed(neovim, `{ selection = { debounce_ms = ${DEBOUNCE_MS} } }`);
  try {
    const path = join(served.home, 'a.txt');
    writeFileSync(path, 'a line\n'.repeat(500));
    await served.nvim.request('nvim_command', [`edit ${path}`]);
    await delay(500);
    const times = [];
    for (let round = 1; round <= 200; round++) {
      const arrived = new Promise((resolve) => {
        const listen = (data) => {
          const { method, params } = JSON.parse(data);
          if (method !== 'selection_changed' || params.selection?.start.line !== round) return;
          served.socket.off('message', listen);
          resolve(performance.now());
        };
        served.socket.on('message', listen);
      });
      const began = performance.now();
      await served.nvim.request('nvim_input', ['j']);
      times.push((await arrived) - began);
      await delay(DEBOUNCE_MS * 2);
    }
    const label = `cursor to notification, beyond the debounce of ${DEBOUNCE_MS} ms`;
    return [{ label, value: median(times) - DEBOUNCE_MS, unit: 'ms', atMost: 2 }];
  } finally {
    await served.close();
  }
}

/** Twenty thousand lines with four hundred changes: Neovim's own diff mode, and our view, each until it is drawn. */
export async function largeDiff(neovim) {
  const editor = await openNeovim(neovim);
  try {
    const lines = (changed) =>
      Array.from({ length: 20_000 }, (_, n) => `line ${n}${changed && n % 50 === 0 ? ' changed' : ''}`).join('\n');
    await editor.lua(
      `_G.old, _G.new = ...
       _G.hunks = {}
       for n = 0, 19999, 50 do table.insert(_G.hunks, { n, 1, n, 1 }) end
       function _G.native()
         local began = vim.loop.hrtime()
         vim.cmd('tabnew')
         vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(_G.old, '\\n'))
         vim.cmd('diffthis | vnew')
         vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(_G.new, '\\n'))
         vim.cmd('diffthis | redraw')
         local took = (vim.loop.hrtime() - began) / 1e6
         vim.cmd('windo bwipeout! | tabonly!')
         return took
       end
       function _G.ours(id, layout)
         local diff = require('hawser.diff')
         local began = vim.loop.hrtime()
         diff.setup({ layout = layout, keys = {}, accept_on_write = false, idle = 0, grace = 0 })
         diff.show(require('hawser.diff.proposal').from_message({
           id = id, revision = 0, uri = 'file:///tmp/a.txt', agent = 'bench', effect = 'edit', base = 'original',
           oldText = _G.old .. '\\n', newText = _G.new .. '\\n', hunks = _G.hunks, lineEnd = '\\n', hasBom = false,
         }))
         vim.wait(2000, function() return (diff.pending()[1] or {}).state == 'shown' end, 1)
         vim.cmd('redraw')
         local took = (vim.loop.hrtime() - began) / 1e6
         diff.close(id)
         return took
       end`,
      lines(false),
      lines(true),
    );
    /** @type {number[][]} */
    const [native, ours, inline] = [[], [], []];
    for (let round = 0; round < 10; round++) {
      native.push(await editor.lua('return _G.native()'));
      ours.push(await editor.lua('return _G.ours(...)', `split ${round}`, 'split'));
      inline.push(await editor.lua('return _G.ours(...)', `inline ${round}`, 'inline'));
    }
    return [
      { label: '20 000 lines, 400 changes: diff mode alone', value: median(native), unit: 'ms' },
      // 150 ms where diff mode alone takes 110.
      { label: 'the same in our view', value: median(ours), unit: 'ms', atMost: (median(native) * 150) / 110 },
      {
        label: 'the same in our view, inline',
        value: median(inline),
        unit: 'ms',
        atMost: (median(native) * 150) / 110,
      },
    ];
  } finally {
    await editor.close();
  }
}
