import { messageOf } from '@hawser/unknown-values/thrown';
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  customMatchers,
  GLOBAL_EXPECT,
  getState,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from '@vitest/expect';
import { expect as chaiExpect, use } from 'chai';

// The bundler gives the contract suites this module for `vitest`, so that `hawser editor --check` runs them without a
// test framework. A suite registers itself while it is called, hence the variable.

export interface SuiteResult {
  /** Of the suite, then of the test. */
  readonly name: readonly string[];
  readonly status: 'passed' | 'failed' | 'skipped';
  /** Why it was skipped, or what failed. */
  readonly reason?: string;
}

export interface RunOptions {
  /** Only tests whose name contains this. */
  readonly only?: string | undefined;
  /** Errors of this class skip the test. */
  readonly skips: new (
    ...args: never[]
  ) => Error;
  readonly onResult: (result: SuiteResult) => void;
}

type Work = () => unknown;
interface Test {
  readonly name: string;
  readonly body: (context: TestContext) => unknown;
}
interface Suite {
  readonly name: string;
  readonly tests: (Test | Suite)[];
  readonly hooks: Record<'beforeAll' | 'afterAll' | 'beforeEach' | 'afterEach', Work[]>;
}
export interface TestContext {
  skip(reason?: string): never;
}

class Skipped extends Error {}

const TEST_MS = 60_000;

let current = suiteOf('');

/** Runs the suites that `register` makes, one test after the other. */
export async function runSuites(register: () => void, options: RunOptions): Promise<void> {
  current = suiteOf('');
  register();
  await runSuite(current, [], options);
}

export function describe(name: string, body: () => void): void {
  const outer = current;
  const suite = suiteOf(name);
  outer.tests.push(suite);
  current = suite;
  body();
  current = outer;
}

export const it = Object.assign(
  (name: string, body: Test['body']): void => {
    current.tests.push({ name, body });
  },
  {
    for:
      <Case>(cases: readonly Case[]) =>
      (name: string, body: (each: Case, context: TestContext) => unknown): void => {
        for (const each of cases) {
          const title = name.replace('%s', String(Array.isArray(each) ? each[0] : each));
          current.tests.push({ name: title, body: (context) => body(each, context) });
        }
      },
  },
);

export const beforeAll = (work: Work) => void current.hooks.beforeAll.push(work);
export const afterAll = (work: Work) => void current.hooks.afterAll.push(work);
export const beforeEach = (work: Work) => void current.hooks.beforeEach.push(work);
export const afterEach = (work: Work) => void current.hooks.afterEach.push(work);
export const expect = makeExpect();

function suiteOf(name: string): Suite {
  return { name, tests: [], hooks: { beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] } };
}

async function runSuite(suite: Suite, outer: readonly Suite[], options: RunOptions): Promise<void> {
  const chain = [...outer, suite];
  const names = chain.map(({ name }) => name).filter((name) => name !== '');
  const isWanted = (test: Test) => [...names, test.name].join(' ').includes(options.only ?? '');
  const wanted = suite.tests.filter((each) => 'tests' in each || isWanted(each));
  if (wanted.length === 0) return;
  let isReady = false;
  for (const each of wanted) {
    if ('tests' in each) {
      await runSuite(each, chain, options);
      continue;
    }
    const before = isReady ? [] : suite.hooks.beforeAll;
    isReady = true;
    options.onResult({ name: [...names, each.name], ...(await runTest(each, chain, before, options)) });
  }
  if (isReady) for (const work of suite.hooks.afterAll) await work();
}

async function runTest(
  test: Test,
  chain: readonly Suite[],
  beforeAllHooks: readonly Work[],
  { skips }: RunOptions,
): Promise<Omit<SuiteResult, 'name'>> {
  const skip = (reason = 'it does not apply'): never => {
    throw new Skipped(reason);
  };
  const after = chain.toReversed().flatMap(({ hooks }) => hooks.afterEach);
  const before = [...beforeAllHooks, ...chain.flatMap(({ hooks }) => hooks.beforeEach)];
  try {
    for (const work of before) await withinTime(work);
    try {
      await withinTime(() => test.body({ skip }));
    } finally {
      for (const work of after) await withinTime(work);
    }
    return { status: 'passed' };
  } catch (error) {
    const reason = messageOf(error);
    const isSkipped = error instanceof Skipped || error instanceof skips;
    return { status: isSkipped ? 'skipped' : 'failed', reason };
  }
}

async function withinTime(work: Work): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It took more than ${TEST_MS / 1000} seconds`)), TEST_MS);
  });
  try {
    await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** As vitest makes it, without snapshots and polling. */
function makeExpect() {
  use(JestExtend);
  use(JestChaiExpect);
  use(JestAsymmetricMatchers);
  const made = ((value: unknown, message?: string) => chaiExpect(value, message)) as unknown as typeof chaiExpect;
  Object.assign(made, chaiExpect);
  Object.defineProperty(globalThis, GLOBAL_EXPECT, { value: made, writable: true, configurable: true });
  const state = { assertionCalls: 0, isExpectingAssertions: false, isExpectingAssertionsError: null };
  setState(
    { ...state, expectedAssertionsNumber: null, expectedAssertionsNumberErrorGen: null } as never,
    made as never,
  );
  Object.assign(made, { getState: () => getState(made as never) });
  (chaiExpect as never as { extend(expect: unknown, matchers: object): void }).extend(made, customMatchers);
  Object.assign(made, (globalThis as never as Record<symbol, object>)[ASYMMETRIC_MATCHERS_OBJECT]);
  return made;
}
