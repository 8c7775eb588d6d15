import type { Server } from '@hawser/mcp';

/** Adds the prompts that a user can choose. */
export function addPrompts(server: Server): void {
  server.prompt(
    {
      name: 'explain-error',
      title: 'Explain this error',
      description: 'Find out why code fails, with the debugger',
      arguments: [{ name: 'code', description: 'The code that fails', required: true }],
    },
    ({ code = '' }) =>
      `Find out why this Common Lisp code fails, and explain it to me:

${code}

Evaluate it with evaluate-lisp and on-error "break". Look at the frames with debugger: locals shows variables, eval-in-frame evaluates code there. Use find-definition for functions you don't know. Then call debugger with action abort, and explain the cause and the smallest fix. Don't change files.`,
  );
  server.prompt(
    {
      name: 'make-tests-pass',
      title: 'Make this pass',
      description: 'Fix a system until its tests pass',
      arguments: [{ name: 'system', description: 'The name of the ASDF system', required: true }],
    },
    ({ system = '' }) =>
      `Make the tests of the ASDF system "${system}" pass.

Call test-system. For each failed test read the form and the place, find the code with find-definition and find-references, and try a fix with evaluate-lisp before you write it to the file. Then call test-system again. Fix the code, not the tests, unless a test is wrong; then say why. Stop when all tests pass, or when you need a decision from me.`,
  );
}
