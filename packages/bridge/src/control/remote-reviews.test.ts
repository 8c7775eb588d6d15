import { TerminalUser } from '../../testing/terminal-user.ts';
import { makeAccess } from '../access/access.ts';
import { shareEditor } from '../access/shared-editor.ts';
import { workspaceEditor } from '../editors/workspace/workspace-editor.ts';
import { LastChanges } from '../review/last-changes.ts';
import { describeReviewer } from '../review/reviewer.contract.ts';
import { Traffic } from '../traffic/traffic.ts';
import { openControlHost } from './host.ts';

describeReviewer(
  'a terminal reviewer behind a control connection',
  async (folder) => {
    const user = new TerminalUser();
    const editor = workspaceEditor({ folders: [folder] });
    const access = makeAccess({ folders: [folder] });
    const shared = await shareEditor(editor, access, () => {});
    let close = async () => {};
    return {
      attach: async (reviews) => {
        const host = await openControlHost({
          home: undefined,
          log: { info: () => {}, error: () => {} },
          identity: { name: 'Hawser', version: '0', pid: 1 },
          editor,
          shared,
          access,
          reviews,
          agents: () => [],
          failures: () => [],
          traffic: new Traffic(),
          lastChanges: new LastChanges(),
          undo: () => Promise.reject(new Error('There is no history')),
          mark: () => Promise.resolve(),
          since: () => Promise.reject(new Error('There is no snapshot')),
          keptFiles: () => [],
          stop: () => {},
        });
        close = () => host.close();
        await host.connect().attach(user.view.reviewer, () => {});
      },
      decides: 'user',
      decide: (path, decision) => user.decide(path, decision),
      shown: (path) => user.shown(path),
      gone: (path) => user.gone(path),
      dispose: async () => {
        user.close();
        await close();
        shared.close();
        await editor.close();
      },
    };
  },
  { lacks: { dismiss: 'leaving the view leaves its proposals open' } },
);
