// @ts-check
// Before `npm run build`: installs what it needs, so that one command is enough in a fresh clone.
import { nodeVersionProblem, prepare } from './prepare.mjs';
import { createSteps, StepFailed } from './steps.mjs';

const problem = nodeVersionProblem(process.versions.node);
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}
try {
  await prepare(createSteps(process.stdout));
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  console.error(error.message);
  process.exitCode = error.exitCode;
}
