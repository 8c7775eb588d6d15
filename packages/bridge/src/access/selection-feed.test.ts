import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Editor, EditorEvent, Selection } from '../editor.ts';
import { followSelection, SelectionFeed } from './selection-feed.ts';

const at = (line: number, text = `line ${line}`): Selection => ({
  path: '/p/a.ts',
  range: { start: { line, character: 0 }, end: { line, character: text.length } },
  text,
});

describe('a selection feed', () => {
  let told: (Selection | undefined)[];
  let feed: SelectionFeed;

  beforeEach(() => {
    vi.useFakeTimers();
    told = [];
    feed = new SelectionFeed((selection) => told.push(selection));
  });

  afterEach(() => {
    feed.close();
    vi.useRealTimers();
  });

  it('tells of a change at once, and of many only the last when 20 ms are over', () => {
    for (let line = 0; line < 10_000; line += 1) feed.changed(at(line));
    expect(told).toEqual([at(0)]);
    vi.advanceTimersByTime(19);
    expect(told).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(told).toEqual([at(0), at(9999)]);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(20);
    expect([told.length, vi.getTimerCount()]).toEqual([2, 0]);
  });

  it('passes over what is the same, also when it came back to it meanwhile', () => {
    feed.changed(at(1));
    feed.changed(at(2));
    feed.changed({ ...at(1) });
    vi.advanceTimersByTime(100);
    feed.changed(at(1));
    expect(told).toEqual([at(1)]);
  });

  it('tells that there is no selection any more', () => {
    feed.changed(at(1));
    feed.changed(undefined);
    vi.advanceTimersByTime(20);
    expect(told).toEqual([at(1), undefined]);
  });

  it('knows the current one, and the latest with text in it', () => {
    feed.changed(at(1));
    feed.changed(at(2, ''));
    expect([feed.current, feed.latest]).toEqual([at(2, ''), at(1)]);
  });

  it('says nothing after it was closed', () => {
    feed.changed(at(1));
    feed.changed(at(2));
    feed.close();
    vi.advanceTimersByTime(100);
    expect(told).toEqual([at(1)]);
  });
});

describe('following an editor', () => {
  it('takes what is told while it asks for newer than what it asked for', async () => {
    let tell: (event: EditorEvent) => void = () => {};
    const editor = {
      subscribe: (listener: (event: EditorEvent) => void) => {
        tell = listener;
        return () => {};
      },
      selection: async () => {
        tell({ kind: 'selection', selection: at(2) });
        return at(1);
      },
    } as unknown as Editor;
    const feed = new SelectionFeed(() => {});
    (await followSelection(editor, feed))();
    expect(feed.current).toEqual(at(2));
  });
});
