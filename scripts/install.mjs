// @ts-check
// Before `npm run build`: installs what it needs, so that one command is enough in a fresh clone.
import { prepare, requireNode } from './prepare.mjs';
import { createSteps, StepFailed } from './steps.mjs';

requireNode();
try {
  await prepare(createSteps(process.stdout));
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  console.error(error.message);
  process.exitCode = error.exitCode;
}
