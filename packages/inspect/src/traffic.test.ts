import { parseTranscript } from '@hawser/client/transcript';
import { describe, expect, it } from 'vitest';
import type { TrafficEntry } from './calls.ts';
import { TrafficMessages, transcriptOf } from './page/traffic-messages.ts';
import { StderrLines } from './stderr-lines.ts';
import { TrafficLog } from './traffic-log.ts';

const textsOf = (entries: readonly TrafficEntry[]) => entries.map(({ text }) => text);

describe('the log of the command', () => {
  it('keeps as many entries as it may, and counts those that it dropped', () => {
    const log = new TrafficLog({ maxEntries: 3 });
    for (const text of ['1', '2', '3', '4', '5']) log.add('sent', text);
    expect(textsOf(log.kept.entries)).toEqual(['3', '4', '5']);
    expect(log.kept.dropped).toBe(2);
    expect(log.kept.entries[0]).toMatchObject({ number: 3, session: 0, kind: 'sent' });
  });

  it('keeps as many characters as it may', () => {
    const log = new TrafficLog({ maxCharacters: 1000 });
    for (let count = 0; count < 10; count += 1) log.add('received', 'x'.repeat(300));
    expect(log.kept).toMatchObject({ entries: { length: 2 }, dropped: 8 });
  });

  it('cuts a text that is too long, and says how long it was', () => {
    const log = new TrafficLog({ maxEntryCharacters: 5 });
    log.add('received', '123456789');
    expect(log.kept.entries[0]).toMatchObject({ text: '12345', cutFrom: 9 });
  });

  it('numbers the sessions, and has one listener', () => {
    const log = new TrafficLog();
    const [first, second]: [TrafficEntry[], TrafficEntry[]] = [[], []];
    const endFirst = log.listen((entry) => first.push(entry));
    log.add('opened', 'a');
    const endSecond = log.listen((entry) => second.push(entry));
    endFirst();
    log.add('opened', 'b');
    endSecond();
    log.add('sent', 'c');
    expect(first.map(({ session }) => session)).toEqual([1]);
    expect(second.map(({ session }) => session)).toEqual([2]);
  });
});

describe('the messages of the page', () => {
  const entries = (log: TrafficLog) => log.kept.entries;

  it('know what they are, and answers know their requests, ids of 0 and texts included', () => {
    const log = new TrafficLog();
    log.add('opened', 'node server.js');
    log.add('sent', '{"jsonrpc":"2.0","id":0,"method":"ping"}');
    log.add('received', '{"jsonrpc":"2.0","id":0,"method":"roots/list"}');
    log.add('received', '{"jsonrpc":"2.0","id":0,"result":{}}');
    log.add('sent', '{"jsonrpc":"2.0","id":0,"error":{"code":-1,"message":"no"}}');
    log.add('received', '{"jsonrpc":"2.0","id":"0","result":{}}');
    log.add('received', '{"jsonrpc":"2.0","method":"notifications/x"}');
    log.add('sent', '[1]');
    log.add('stderr', '{"jsonrpc":"2.0"}');
    const messages = new TrafficMessages();
    messages.add({ entries: entries(log), dropped: 0 });
    expect(messages.view.messages.map(({ what, method, id }) => [what, method, id])).toEqual([
      ['other', undefined, undefined],
      ['request', 'ping', '0'],
      ['request', 'roots/list', '0'],
      ['result', 'ping', '0'],
      ['error', 'roots/list', '0'],
      ['result', undefined, '"0"'],
      ['notification', 'notifications/x', undefined],
      ['other', undefined, undefined],
      ['other', undefined, undefined],
    ]);
  });

  it('are bounded, and the dropped ones are counted, those of the command included', () => {
    const log = new TrafficLog();
    for (let count = 0; count < 10; count += 1) log.add('stderr', 'x'.repeat(100));
    const messages = new TrafficMessages({ maxMessages: 4, maxCharacters: 700 });
    messages.add({ entries: entries(log), dropped: 5 });
    expect(messages.view).toMatchObject({ messages: { length: 3 }, dropped: 12 });
    messages.clear();
    expect(messages.view).toEqual({ messages: [], dropped: 0 });
  });

  it('become a transcript that hawser replay reads', () => {
    const log = new TrafficLog({ maxEntryCharacters: 60 });
    log.add('opened', 'node\nserver.js');
    log.add('sent', '{"jsonrpc":"2.0","id":1,"method":"ping"}');
    log.add('stderr', 'hello');
    log.add('received', `{"jsonrpc":"2.0","id":1,"result":{"text":"${'x'.repeat(100)}"}}`);
    log.add('closed', 'node exited with code 1; the end of its stderr:\nboom');
    log.add('opened', 'again');
    log.add('received', '{"jsonrpc":"2.0","method":"notifications/x"}');
    log.add('malformed', 'Parse\nerror');
    log.add('disconnected', 'again');
    const text = transcriptOf(entries(log), 7);
    expect(text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')).toBe(`== node server.js, TIME
# 7 earlier messages are missing
→ {"jsonrpc":"2.0","id":1,"method":"ping"}
# stderr: hello
# ← a message of 145 characters is left out
# node exited with code 1; the end of its stderr: boom
× closed

== again, TIME
← {"jsonrpc":"2.0","method":"notifications/x"}
# ← not a message: Parse error
`);
    expect(parseTranscript(text).map(({ lines }) => lines.length)).toEqual([2, 1]);
  });
});

describe('lines of stderr', () => {
  it('are whole, whatever the pieces are, and a line without end is cut', () => {
    const lines: string[] = [];
    const stderr = new StderrLines((line) => lines.push(line));
    stderr.push('one\r\ntw');
    stderr.push('o\n\nthree');
    stderr.push('x'.repeat(20_000));
    expect(lines).toEqual(['one', 'two', '', `three${'x'.repeat(20_000)}`]);
  });
});
