import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Counts what a process does, and prints it in the text format of Prometheus. */
export class Metrics {
  #requests = new Map();
  #failures = new Map();
  #inFlight = 0;
  #delay = monitorEventLoopDelay({ resolution: 20 });
  #idle = () => {};

  constructor() {
    this.#delay.enable();
  }

  /** A middleware: give it to `server.use`. */
  measure = async (request, next) => {
    if (request.method === 'subscriptions/listen') return next(); // stays open for as long as the client listens
    const start = performance.now();
    const counted = this.#requests.get(request.method) ?? { requests: 0, errors: 0, seconds: 0 };
    this.#requests.set(request.method, counted);
    this.#inFlight += 1;
    try {
      return await next();
    } catch (error) {
      counted.errors += 1;
      throw error;
    } finally {
      counted.requests += 1;
      counted.seconds += (performance.now() - start) / 1000;
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#idle();
    }
  };

  /** For the `onError` options: counts errors by their class, and writes them to stderr. */
  failed = (error, source) => {
    this.#failures.set(error.name, (this.#failures.get(error.name) ?? 0) + 1);
    console.error(`${source?.what ?? 'http'}: ${error.message}`);
  };

  /** Settles when no request is being answered, or after this time. */
  async idle(milliseconds) {
    if (this.#inFlight === 0) return;
    await new Promise((resolve) => {
      this.#idle = () => resolve(undefined);
      setTimeout(resolve, milliseconds).unref();
    });
  }

  /** @param {{ [gauge: string]: number }} gauges */
  text(gauges) {
    const lines = [];
    const all = { ...gauges, inFlight: this.#inFlight, residentBytes: process.memoryUsage.rss() };
    for (const [name, value] of Object.entries(all)) lines.push(`mcp_${snakeCase(name)} ${value}`);
    lines.push(`mcp_event_loop_delay_seconds ${this.#delay.percentile(99) / 1e9}`);
    this.#delay.reset();
    for (const [method, { requests, errors, seconds }] of this.#requests) {
      const label = `{method=${JSON.stringify(method)}}`;
      lines.push(`mcp_requests_total${label} ${requests}`);
      lines.push(`mcp_request_errors_total${label} ${errors}`);
      lines.push(`mcp_request_seconds_total${label} ${seconds.toFixed(6)}`);
    }
    for (const [name, count] of this.#failures)
      lines.push(`mcp_failures_total{error=${JSON.stringify(name)}} ${count}`);
    return `${lines.join('\n')}\n`;
  }
}

function snakeCase(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
