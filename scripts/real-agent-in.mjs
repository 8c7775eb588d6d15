// @ts-check

/**
 * A real agent, fetched from npm at first, and a user at the keys of this editor.
 * @param {import('./test-real.mjs').Real} real
 * @param {'Emacs' | 'Vim'} editor
 */
export async function realAgentIn(real, editor) {
  const tests = ['--config', 'test/agents/vitest.config.ts', 'plugins.real.ts'];
  return real.vitest([...tests, '--testNamePattern', `with ${editor}`], {});
}
