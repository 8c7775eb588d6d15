export interface ServerSentEvent {
  readonly data: string;
}

/** The events of a `text/event-stream`, as they arrive. */
export async function* readEvents(stream: NodeJS.ReadableStream): AsyncGenerator<ServerSentEvent> {
  let rest = '';
  let data: string[] = [];
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split(/\r\n|\n|\r/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { data: data.join('\n') };
        data = [];
      } else if (line.startsWith('data:')) data.push(line.slice('data:'.length).replace(/^ /, ''));
    }
  }
}
