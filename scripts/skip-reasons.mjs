// @ts-check

/**
 * One line for each reason, with how many tests are skipped for it. A test that gives none has it in its name.
 * @param {readonly { name: string, note: string | undefined }[]} skipped
 */
export function skipReasons(skipped) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { name, note } of skipped) {
    const [, named] = /\((?:cannot|skipped): (.*)\)$/.exec(name) ?? [];
    const reason = note ?? named ?? name;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([reason, count]) => `  ${count} × ${reason}`);
}

/**
 * A reporter of vitest: at the end, why tests were skipped.
 * @implements {Pick<import('vitest/reporters').Reporter, 'onTestRunEnd'>}
 */
export default class SkipReasons {
  /** @param {readonly import('vitest/node').TestModule[]} modules */
  onTestRunEnd(modules) {
    const skipped = modules
      .flatMap((module) => [...module.children.allTests('skipped')])
      .map((test) => {
        const result = test.result();
        return { name: test.name, note: result.state === 'skipped' ? result.note : undefined };
      });
    if (skipped.length > 0) console.log(['Skipped, and why:', ...skipReasons(skipped)].join('\n'));
  }
}
