import { controlledEditor } from '../../testing/controlled.ts';
import { TerminalUser } from '../../testing/terminal-user.ts';
import { workspaceEditor } from '../editors/workspace/workspace-editor.ts';
import { describeReviewer } from '../review/reviewer.contract.ts';
import { openControlHost } from './host.ts';

describeReviewer(
  'a terminal reviewer behind a control connection',
  async (folder) => {
    const user = new TerminalUser();
    const editor = workspaceEditor({ folders: [folder] });
    const controlled = await controlledEditor(editor, folder);
    let close = async () => {};
    return {
      attach: async (reviews) => {
        const log = { info: () => {}, error: () => {} };
        const host = await openControlHost({ ...controlled, reviews, home: undefined, log });
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
        controlled.shared.close();
        await editor.close();
      },
    };
  },
  { lacks: { dismiss: 'leaving the view leaves its proposals open' } },
);
