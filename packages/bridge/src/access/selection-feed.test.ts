import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Selection } from '../editor.ts';
import { SelectionFeed } from './selection-feed.ts';

const at = (line: number, text = `line ${line}`): Selection => ({
  path: '/p/a.ts',
  range: { start: { line, character: 0 }, end: { line, character: text.length } },
  text,
});

describe('a selection feed', () => {
  let sent: (Selection | undefined)[];
  let isVisible: (path: string) => boolean | Promise<boolean>;
  let isPaused: boolean;
  let feed: SelectionFeed;

  beforeEach(() => {
    vi.useFakeTimers();
    sent = [];
    isVisible = () => true;
    isPaused = false;
    feed = new SelectionFeed({
      isPaused: () => isPaused,
      isVisible: (path) => isVisible(path),
      send: (selection) => sent.push(selection),
    });
  });

  afterEach(() => {
    feed.close();
    vi.useRealTimers();
  });

  it('sends a change at once, and of many only the last after 20 ms', () => {
    for (let line = 0; line < 10_000; line += 1) feed.changed(at(line));
    expect(sent).toEqual([at(0)]);
    vi.advanceTimersByTime(19);
    expect(sent).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([at(0), at(9999)]);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(20);
    expect([sent.length, vi.getTimerCount()]).toEqual([2, 0]);
  });

  it('skips what is the same, also when the selection returned to it meanwhile', () => {
    feed.changed(at(1));
    feed.changed(at(2));
    feed.changed({ ...at(1) });
    vi.advanceTimersByTime(100);
    feed.changed(at(1));
    expect(sent).toEqual([at(1)]);
  });

  it('sends the last one with text before one without, however soon that follows', () => {
    feed.changed(at(1));
    for (const line of [2, 3, 4]) feed.changed(at(line));
    feed.changed(at(4, ''));
    feed.changed(at(5, ''));
    vi.advanceTimersByTime(20);
    expect(sent).toEqual([at(1), at(4)]);
    vi.advanceTimersByTime(20);
    expect(sent).toEqual([at(1), at(4), at(5, '')]);
    feed.changed(at(6));
    feed.changed(at(6, ''));
    feed.changed(at(7));
    vi.advanceTimersByTime(100);
    expect(sent.slice(3)).toEqual([at(7)]);
  });

  it('sends one that was left while it was checked, but none that was selected while paused', async () => {
    const answers: ((isVisible: boolean) => void)[] = [];
    isVisible = () => new Promise<boolean>((resolve) => answers.push(resolve));
    feed.changed(at(1));
    feed.changed(at(1, ''));
    answers.shift()?.(true);
    await vi.advanceTimersByTimeAsync(20);
    expect(sent).toEqual([at(1)]);
    answers.shift()?.(true);
    await vi.advanceTimersByTimeAsync(20);
    expect(sent).toEqual([at(1), at(1, '')]);
    isPaused = true;
    feed.changed(at(2));
    feed.changed(at(2, ''));
    while (answers.length > 0) {
      answers.shift()?.(true);
      await vi.advanceTimersByTimeAsync(20);
    }
    expect(sent.slice(2)).toEqual([at(2, '')]);
  });

  it('sends that there is no selection any more', () => {
    feed.changed(at(1));
    feed.changed(undefined);
    vi.advanceTimersByTime(20);
    expect(sent).toEqual([at(1), undefined]);
  });

  it('forgets what was selected while paused, unless it still is', () => {
    feed.changed(at(1));
    isPaused = true;
    feed.changed(at(2));
    feed.changed(at(3, ''));
    isPaused = false;
    feed.accessChanged();
    expect(feed.latest).toEqual(at(1));
    isPaused = true;
    feed.changed(at(4));
    expect(feed.latest).toEqual(at(1));
    isPaused = false;
    feed.accessChanged();
    expect(feed.latest).toEqual(at(4));
  });

  it('knows the last one with text in it', () => {
    feed.changed(at(1));
    feed.changed(at(2, ''));
    expect(feed.latest).toEqual(at(1));
    expect(feed.sent).toEqual(at(1));
    vi.advanceTimersByTime(20);
    expect(feed.sent).toEqual(at(2, ''));
  });

  it('sends nothing after it was closed', () => {
    feed.changed(at(1));
    feed.changed(at(2));
    feed.close();
    vi.advanceTimersByTime(100);
    expect(sent).toEqual([at(1)]);
  });

  it('sends none for a hidden selection, once, and the selection when it becomes visible', () => {
    isVisible = () => false;
    feed.changed(at(1));
    feed.changed(at(2));
    vi.advanceTimersByTime(100);
    expect(sent).toEqual([undefined]);
    isVisible = () => true;
    feed.accessChanged();
    expect(sent).toEqual([undefined, at(2)]);
  });

  it('waits for a check that takes time, and sends only what is selected then', async () => {
    let answer: (isVisible: boolean) => void = () => {};
    isVisible = () =>
      new Promise<boolean>((resolve) => {
        answer = resolve;
      });
    feed.changed(at(1));
    feed.changed(at(2));
    const first = answer;
    first(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual([]);
    answer(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual([at(2)]);
  });
});
