// @ts-check
// Accepts changes of some files, each with a text of the user's own, and ends itself with SIGKILL at the n-th access to a
// file after that. Arguments: a folder with the workspace and the state, who writes, and n. Prints how many there were if
// it lives on.

import fs, { readdirSync, realpathSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const [home = '', writer = 'bridge', deathAt = '0'] = process.argv.slice(2);
let accesses = 0;
let isCounting = false;
let decisions = 0;

/** @param {Record<string, any>} owner @param {string} name */
function count(owner, name) {
  const real = owner[name];
  owner[name] = function (/** @type {unknown[]} */ ...args) {
    if (isCounting) {
      accesses += 1;
      if (accesses === Number(deathAt)) process.kill(process.pid, 'SIGKILL');
    }
    return real.apply(this, args);
  };
}

const WRITING = ['writeFile', 'rename', 'link', 'unlink', 'rm', 'mkdir', 'open', 'chmod', 'utimes', 'appendFile'];
for (const name of WRITING) {
  count(fs.promises, name);
  count(fs, `${name}Sync`);
}
for (const name of ['closeSync', 'fchmodSync', 'writeSync']) count(fs, name);
const handle = await fs.promises.open(import.meta.filename);
for (const name of ['writeFile', 'sync', 'close', 'chmod', 'truncate', 'write'])
  count(Object.getPrototypeOf(handle), name);
await handle.close();
syncBuiltinESMExports();

// Built, as users have it: it must read the functions that were just replaced.
const entry = new URL('../../packages/bridge/dist/index.js', import.meta.url).href;
/** @type {typeof import('hawser')} */
const { makeAccess, openBridge, workspaceEditor } = await import(entry);
const folder = realpathSync(join(home, 'work'));
const names = readdirSync(folder).sort();
/** @type {(value?: unknown) => void} */
let decided = () => {};
const allDecided = new Promise((resolve) => {
  decided = resolve;
});

/** @type {import('hawser').Reviewer} */
const user = {
  name: 'user',
  show: (review) => {
    const { path, revision, newText } = review.proposal;
    const text = `${newText}typed by the user in ${path.slice(folder.length + 1)}\n`;
    void review.decide({ kind: 'accepted', text }, revision).then(({ kind }) => kind === 'decided' && decided());
    decisions += 1;
    // From here on, the user has decided on all of it.
    isCounting = decisions === names.length;
  },
};

/** @type {import('hawser').AgentAdapter} */
const agent = {
  name: 'an-agent',
  open: async ({ reviews }) => {
    const changes = names.map((name) => ({
      path: join(folder, name),
      title: name,
      agent: 'an agent',
      oldText: 'old\n',
      newText: 'new\n',
    }));
    const options = {
      owner: agent,
      signal: new AbortController().signal,
      writer: /** @type {'agent' | 'bridge'} */ (writer),
    };
    const outcomes = reviews?.proposeSet(changes, { ...options, title: 'All' });
    void outcomes?.then((all) => {
      // As an agent does, in place.
      for (const each of all) {
        if (writer === 'agent' && each.kind === 'accepted') fs.writeFileSync(each.proposal.path, each.text);
      }
    });
    const close = async () => {};
    return {
      name: 'an-agent',
      endpoints: [],
      discoveryFiles: [],
      environment: {},
      clients: () => [],
      removeDiscovery: () => {},
      close,
    };
  },
};

const bridge = await openBridge({
  editor: workspaceEditor({ folders: [folder] }),
  access: makeAccess({ folders: [folder] }),
  identity: { name: 'test', version: '0', pid: process.pid },
  agents: [agent],
  reviewers: [user],
  stateFolder: join(home, 'state'),
});
await allDecided;
await bridge.close();
process.stdout.write(String(accesses));
