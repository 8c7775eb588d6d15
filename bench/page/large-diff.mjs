import { TerminalProgram } from '../bridge/terminal-program.mjs';
import { median } from '../statistics.mjs';
import { openBrowser, openPage } from './browser.mjs';

const LINES = 20_000;
const SCRIPT_MS = 300;
const LONG_TASK_MS = 50;
/** Those that have the tasks of a thread. */
const CATEGORIES = ['disabled-by-default-devtools.timeline', '__metadata'];

/** Half of the lines are replaced, ten at a time, so that 20 000 lines are removed or added; or all lines are new. */
function changes() {
  const lines = Array.from(
    { length: LINES },
    (_, index) => `  const value${index} = compute("text ${index % 97}", ${index}); // note\n`,
  );
  const changed = lines.map((text, index) => (index % 20 < 10 ? text.replace('compute', 'calculate') : text));
  return { '1000 hunks': [lines.join(''), changed.join('')], 'a new file': [undefined, lines.join('')] };
}

/** A diff of 20 000 lines: the script until it is painted, and the longest task while the user goes through it. */
export async function largeDiff({ quick }) {
  const browser = await openBrowser();
  try {
    const rows = [];
    for (const [name, [oldText, newText]] of Object.entries(changes())) {
      rows.push(...(await measure(browser, name, { oldText, newText, rounds: quick ? 1 : 5 })));
    }
    return rows;
  } finally {
    await browser.close();
  }
}

async function measure(browser, name, { oldText, newText, rounds }) {
  const bridge = await TerminalProgram.open();
  try {
    await bridge.propose('large.ts', oldText, newText);
    /** @type {number[][]} */
    const [scripts = [], tasks = [], scrolls = [], busy = [], keys = []] = [[], [], [], [], []];
    for (let round = 0; round < rounds; round++) {
      const { page, open } = await openPage(browser, bridge);
      await browser.startTracing(page, { categories: CATEGORIES });
      const metrics = await page.context().newCDPSession(page);
      await metrics.send('Performance.enable');
      await open();
      await page.locator('.diff-row').first().waitFor();
      await painted(page);
      scripts.push(await scriptMs(metrics));
      tasks.push(longestTask(await browser.stopTracing()).dur);
      await browser.startTracing(page, { categories: CATEGORIES });
      await goThrough(page);
      const scrolled = longestTask(await browser.stopTracing());
      scrolls.push(scrolled.dur);
      busy.push(scrolled.tdur);
      await browser.startTracing(page, { categories: CATEGORIES });
      for (const key of ['g', 'y', 'n', 'u', 'u', '+', '-', 'v', 'v', 's', 'u']) await press(page, key);
      keys.push(longestTask(await browser.stopTracing()).tdur);
      await page.context().close();
    }
    return [
      {
        label: `20 000 lines, ${name}: script until it is painted`,
        value: median(scripts),
        unit: 'ms',
        atMost: SCRIPT_MS,
      },
      { label: 'the same, the longest task until then', value: median(tasks), unit: 'ms' },
      {
        label: 'the same, the longest task while scrolling',
        value: Math.max(...scrolls),
        unit: 'ms',
        atMost: LONG_TASK_MS,
      },
      // On a busy machine a task waits for the processor, too.
      { label: 'the same, of the processor', value: Math.max(...busy), unit: 'ms', atMost: LONG_TASK_MS },
      { label: 'the same, the longest task of other keys, of the processor', value: median(keys), unit: 'ms' },
    ];
  } finally {
    await bridge.close();
  }
}

/** Two frames from now: the first has drawn what is there. */
function painted(page) {
  return page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

async function scriptMs(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0);
}

/** As a user does: the wheel, the keys for a page and for the ends, the scrollbar. */
async function goThrough(page) {
  await page.mouse.move(700, 400);
  for (let turn = 0; turn < 60; turn++) {
    await page.mouse.wheel(0, 300);
    await painted(page);
  }
  for (const key of [...' '.repeat(20), 'G', 'b', 'b', 'g', ']', ']', 'G', 'g', 'j', 'j']) {
    await press(page, key);
  }
  const scroller = page.locator('.change .scroller');
  for (let part = 0; part <= 40; part++) {
    await scroller.evaluate((element, at) => {
      element.scrollTop = at * (element.scrollHeight - element.clientHeight);
    }, part / 40);
    await painted(page);
  }
  const last = await page.locator('.line-number').last().getAttribute('data-number');
  if (Number(last) < LINES - 20) throw new Error(`Scrolled to line ${last}, not to the end`);
}

async function press(page, key) {
  await page.keyboard.press(key === ' ' ? 'Space' : key);
  await painted(page);
}

/** The longest time of a task and the most that one used of the processor, in milliseconds, of the threads that run pages. */
function longestTask(trace) {
  const { traceEvents } = JSON.parse(trace.toString());
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(({ name, pid, tid }) => name === 'RunTask' && threads.has(`${pid} ${tid}`));
  if (tasks.length === 0) throw new Error('The trace has no tasks of a page');
  const longest = (member) => tasks.reduce((most, task) => Math.max(most, (task[member] ?? 0) / 1000), 0);
  return { dur: longest('dur'), tdur: longest('tdur') };
}
