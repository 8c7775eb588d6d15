// The event streams of one session of the bad server.
export class EventStreams {
  opened = 0;
  #events = 0;
  #gets = new Set();

  get isOpen() {
    return this.#gets.size > 0;
  }

  openGet(response) {
    this.opened += 1;
    this.#gets.add(response);
    response.on('close', () => this.#gets.delete(response));
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.flushHeaders();
    return { send: (message) => this.#send(response, JSON.stringify(message)) };
  }

  openPost(response, headers, { rule }) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', ...headers });
    if (rule === 'http-events') response.write('data: hello\n\n');
    // By this event a client can resume the stream.
    if (rule !== 'http-stream-priming') this.#send(response, '', rule);
    return { send: (message) => this.#send(response, JSON.stringify(message), rule) };
  }

  sendOnGet(message) {
    for (const response of this.#gets) this.#send(response, JSON.stringify(message));
  }

  #send(response, data, rule) {
    this.#events += 1;
    const id = rule === 'http-event-ids' ? 1 : this.#events;
    response.write(`id: ${id}\ndata: ${data}\n\n`);
  }
}
