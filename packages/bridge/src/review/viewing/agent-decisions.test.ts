import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ReviewingView } from '../../../testing/reviewing-view.ts';

const [OLD, NEW] = ['one\ntwo\n', 'one\nTWO\n'];
const closed = { kind: 'withdrawn', reason: 'the agent closed it', isClosedByAgent: true } as const;

function setUp(...ids: string[]) {
  const user = new ReviewingView();
  const reviews = user.add(...ids.map((id) => ({ id, oldText: OLD, newText: NEW })));
  for (const id of ids) user.onDisk.set(`/w/${id}`, OLD);
  return { user, view: user.view, reviews };
}

describe('AgentDecisions', () => {
  it('a change that its agent closes was decided there, and its file says how', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { user, view, reviews } = setUp('one', 'two', 'three');
    const change = async (id: string, text: string) => {
      user.onDisk.set(`/w/${id}`, text);
      view.fileChanged(`/w/${id}`);
      await user.settle();
    };
    const end = () => user.rows.slice(-4).filter((row) => row !== '');
    reviews[0]?.end(closed);
    await user.settle();
    expect(end()).toEqual(['  This change was decided in an agent.', '  Press any key.']);
    // The agent empties the file first, and drops its last line end.
    await change('one', '');
    expect(end()).toEqual(['  This change was decided in an agent.', '  Press any key.']);
    await change('one', NEW.trimEnd());
    expect(end()).toEqual(['  This change was accepted in an agent.', '  Press any key.']);
    expect(user.watched).toEqual([]);
    user.press('x');

    reviews[1]?.end(closed);
    await user.settle();
    vi.advanceTimersByTime(2000);
    await user.settle();
    expect(end().slice(1)).toEqual(['  /w/two is as it was.', '  Press any key.']);
    await change('two', 'other\n');
    expect(end().slice(1)).toEqual(['  /w/two has changed, but not to what was proposed.', '  Press any key.']);
    await change('two', NEW);
    expect(end()).toEqual(['  This change was accepted in an agent.', '  Press any key.']);
    user.press('x');

    user.onDisk.delete('/w/three');
    reviews[2]?.end(closed);
    await user.settle();
    vi.advanceTimersByTime(2000);
    await user.settle();
    expect(end()).toEqual(['  This change was decided in an agent.', '  Press any key.']);
    user.press('x');
    expect(user.watched).toEqual([]);
  });

  it('of a change that is not on the screen only an acceptance in its agent is said later', async () => {
    const { user, view, reviews } = setUp('one', 'two');
    reviews[1]?.end(closed);
    await user.settle();
    expect(user.notice).toBe('/w/two: decided in an agent');
    user.onDisk.set('/w/two', NEW);
    view.fileChanged('/w/two');
    await user.settle();
    expect(user.notice).toBe('/w/two: accepted in an agent');
  });
});
