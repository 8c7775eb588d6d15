// Runs inside a contender's own process: drives the contender's own client, prints one line of JSON for the bench.
const { warmMs, measureMs, depths, burstCount } = JSON.parse(process.env.BENCH_SETTINGS ?? '{}');

const SETTLE_MS = 100;
const TEXT = 'the quick brown fox jumps over the lazy dog, then comes back';

/** Calls `call(text)` with each number in flight in turn, and reports calls per second by that number. */
export async function reportCalls(call) {
  const perSecond = {};
  await callFor(call, depths[0], warmMs);
  for (const inFlight of depths) {
    await callFor(call, inFlight, SETTLE_MS);
    const { calls, ms } = await callFor(call, inFlight, measureMs);
    perSecond[inFlight] = (calls / ms) * 1000;
  }
  report({ perSecond });
}

async function callFor(call, inFlight, ms) {
  const started = performance.now();
  let now = started;
  let calls = 0;
  const lane = async () => {
    while (now - started < ms) {
      // Looking at the clock after every call would be a good part of the cost of the fastest contender.
      for (let turn = 0; turn < 16; turn++) {
        const result = await call(TEXT);
        if (result.content[0].text !== TEXT) throw new Error(`Wrong answer: ${JSON.stringify(result)}`);
        calls++;
      }
      now = performance.now();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return { calls, ms: performance.now() - started };
}

/** Asks for bursts and reports how many notifications per second reached the listener. */
export async function reportBursts({ burst, subscribe }) {
  let received = 0;
  let expected = 0;
  /** @type {(value?: unknown) => void} */
  let onComplete = () => {};
  subscribe((params) => {
    if (params.filePath === undefined) throw new Error(`Not a selection: ${JSON.stringify(params)}`);
    if (++received === expected) onComplete();
  });
  const burstFor = async (ms) => {
    const started = performance.now();
    const before = received;
    do {
      expected = received + burstCount;
      // The answer may overtake the handlers of the notifications before it, so both are awaited.
      const complete = new Promise((resolve) => {
        onComplete = resolve;
      });
      await burst(burstCount);
      await complete;
    } while (performance.now() - started < ms);
    return ((received - before) / (performance.now() - started)) * 1000;
  };
  await burstFor(warmMs);
  report({ perSecond: await burstFor(measureMs) });
}

function report(figures) {
  console.log(JSON.stringify(figures));
}
