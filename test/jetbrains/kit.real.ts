import { fileURLToPath } from 'node:url';
import { describePlugin } from '../../packages/bridge/src/editor-kit/plugin.contract.ts';

// Each test is a project in the IDE that `npm run test:real -- jetbrains` has started.
const IN_IDE = fileURLToPath(new URL('../../editors/jetbrains/test/in-ide.mjs', import.meta.url));

describePlugin(
  `IntelliJ (${process.env.HAWSER_IDE_SCREEN})`,
  { command: [process.execPath, IN_IDE], variables: process.env },
  {
    showDocument: true,
    documents: true,
    save: true,
    close: true,
    diagnostics: true,
    writeText: true,
    format: true,
    proposals: {},
  },
);
