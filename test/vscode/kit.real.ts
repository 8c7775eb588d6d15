import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { describePlugin } from '../../packages/bridge/src/editor-kit/plugin.contract.ts';
import { HANDS, until, Workbench } from './workbench.ts';

// One window for all tests of the kit: `variables` are read when a test starts.
const variables: Record<string, string | undefined> = { ...process.env };
let workbench: Workbench;

beforeAll(async () => {
  const hands = join('/tmp', `hawser-hands-${process.pid}.sock`);
  workbench = await Workbench.start({
    extension: HANDS,
    env: { HAWSER_HANDS: hands },
    // What TypeScript finds in the files of a test would come in the next one.
    settings: { 'typescript.validate.enable': false, 'javascript.validate.enable': false },
  });
  await workbench.open();
  await until(() => existsSync(hands));
  variables.HAWSER_HANDS = hands;
});
afterAll(() => workbench.close());

describePlugin(
  'VS Code',
  { command: [process.execPath, fileURLToPath(new URL('start-in-window.mjs', import.meta.url))], variables },
  {
    showDocument: true,
    documents: true,
    save: true,
    close: true,
    diagnostics: true,
    format: true,
    proposals: {},
    language: ['textDocument/definition'],
  },
);
