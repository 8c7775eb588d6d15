import { makeAccess } from '../src/access/access.ts';
import { type OpenSharedEditor, shareEditor } from '../src/access/shared-editor.ts';
import type { Controlled } from '../src/control/control.ts';
import type { Editor } from '../src/editor.ts';
import { LastChanges } from '../src/review/last-changes.ts';
import { ReviewQueue } from '../src/review/queue.ts';
import { Traffic } from '../src/traffic/traffic.ts';

/** What a control shows and steers: an editor without agents and without a history. The caller closes `shared`. */
export async function controlledEditor(
  editor: Editor,
  folder: string,
): Promise<Controlled & { readonly shared: OpenSharedEditor }> {
  const access = makeAccess({ folders: [folder] });
  return {
    acceptsEditors: false,
    identity: { name: 'Hawser', version: '0', pid: 1 },
    editor,
    shared: await shareEditor(editor, access, () => {}),
    access,
    reviews: new ReviewQueue(),
    agents: () => [],
    failures: () => [],
    traffic: new Traffic(),
    lastChanges: new LastChanges(),
    undo: () => Promise.reject(new Error('There is no history')),
    mark: () => Promise.resolve(),
    announce: () => {},
    since: () => Promise.reject(new Error('There is no snapshot')),
    keptFiles: () => [],
    ruled: () => undefined,
    decisions: () => [],
    textsOfDecision: () => ({ oldText: undefined, newText: undefined, accepted: undefined, lost: [] }),
    keepText: () => '/kept',
    stop: () => {},
  };
}
