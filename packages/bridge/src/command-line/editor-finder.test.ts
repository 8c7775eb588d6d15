import { resolveTarget } from '@hawser/client/resolve-target';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { DISCOVERY_FORMATS } from '../agents/agents.ts';
import { editorFinder } from './editor-finder.ts';

function placesIn(folder: string) {
  const places = {
    cwd: folder,
    home: folder,
    stateFolder: folder,
    temporaryFolder: folder,
    formats: DISCOVERY_FORMATS,
    isWindows: false,
    variables: {},
  };
  return { ...places, editors: async () => editorFinder(places) };
}

it('a command without a server means the editor of its folder, and says how to get one', async () => {
  const folder = temporaryFolder();
  await expect(resolveTarget({}, placesIn(folder))).rejects.toThrow(
    `No editor serves ${folder}. Start one with hawser, or name a server with --stdio, --url, --lock or --server.`,
  );
});

it('a discovery file that is not there is named', async () => {
  await expect(resolveTarget({ lock: 'x.txt' }, placesIn(temporaryFolder()))).rejects.toThrow(
    "x.txt can't be used: There is no such file.",
  );
});
