import { describe, expect, it } from 'vitest';
import { TerminalUser } from '../../../../testing/terminal-user.ts';
import { ReviewQueue } from '../../queue.ts';
import { describeReviewer } from '../../reviewer.contract.ts';

describeReviewer(
  'the terminal reviewer',
  async () => {
    const user = new TerminalUser();
    return {
      attach: (queue) => user.attach(queue),
      decides: 'user',
      decide: (path, decision) => user.decide(path, decision),
      shown: (path) => user.shown(path),
      says: async (path, words) => {
        await user.shown(path);
        await user.sees((screen) => screen.includes(words));
      },
      gone: (path) => user.gone(path),
      dispose: async () => user.close(),
    };
  },
  { lacks: { dismiss: 'leaving the view leaves its proposals open' } },
);

describe('the terminal reviewer', () => {
  const change = { path: '/w/a.txt', title: 'a', oldText: 'one\n', newText: 'two\n', agent: 'an agent' };
  const propose = async () => {
    const [queue, user, request] = [new ReviewQueue(), new TerminalUser(), new AbortController()];
    await user.attach(queue);
    const outcome = queue.propose(change, { owner: queue, signal: request.signal });
    await user.shown(change.path);
    return { queue, user, request, outcome };
  };

  it('keeps what the user had edited when the agent withdraws the proposal, and says where', async () => {
    const { user, request, outcome } = await propose();
    user.editText = () => 'mine\n';
    user.press('e');
    await user.sees((screen) => screen.includes('This is your version'));
    request.abort();
    await outcome;
    await user.sees((screen) => screen.includes('Your version is kept in /kept/w/a.txt'));
    expect(user.kept).toEqual([{ path: '/w/a.txt', text: 'mine\n' }]);
    user.close();
  });

  it('keeps what the user is editing when the agent withdraws the proposal', async () => {
    const { user, request, outcome } = await propose();
    user.editText = () => {
      request.abort();
      return 'mine\n';
    };
    user.press('e');
    await outcome;
    await user.sees((screen) => screen.includes('Your version is kept in /kept/w/a.txt'));
    expect(user.kept).toEqual([{ path: '/w/a.txt', text: 'mine\n' }]);
    user.close();
  });

  it('takes keys again after an editor that could not be started', async () => {
    const { user, outcome } = await propose();
    user.editText = () => new Error('no such editor');
    user.press('e');
    await user.sees((screen) => screen.includes('Not edited: no such editor'));
    expect(user.frame.isLent).toBe(false);
    user.press('r');
    expect(await outcome).toMatchObject({ kind: 'rejected' });
    user.press('\x03');
    await user.frame.over;
  });
});
