import { fileURLToPath } from 'node:url';
import * as suites from './plugin.contract.ts';
import type * as declared from './plugin-suites.mjs';

// The example that docs/editor-protocol.md walks through.
const HANDS = fileURLToPath(new URL('../../../../examples/custom-editor/hands.mjs', import.meta.url));

const { describePlugin }: typeof declared = suites;

describePlugin(
  'the custom editor',
  { command: [process.execPath, HANDS], variables: process.env },
  { showDocument: true, documents: true, save: true, close: true, diagnostics: true, proposals: {} },
);
