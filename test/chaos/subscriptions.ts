import { setTimeout as delay } from 'node:timers/promises';
import type { ClientSession } from '@hawser/mcp/client';
import { BrokenPromise, clientOptions, connect, repeat, SLACK_MS, textOf, type World } from './world.ts';

type Kind = 'session' | 'stateless';

const POLL_MS = 20;
const TOUCHED = 'shared';
const URI = `note:///${TOUCHED}`;

/** A client that only listens. */
interface Watcher {
  readonly kind: Kind;
  readonly session: ClientSession;
  /** Notifications since it subscribed. */
  heard: number;
  lastHeard: number;
  listsHeard: number;
  /** The number of changes before it subscribed. */
  readonly changesBefore: number;
  /** How often Redis had lost its data then. */
  readonly dataLosses: number;
}

/** Some clients subscribe to a resource, and one changes it. */
export async function subscriptions(world: World): Promise<void> {
  const workload = 'subscriptions';
  const toucher = await connect(world, workload, clientOptions('stateless'));
  let watchers: Watcher[] = [];
  let rounds = 0;
  await repeat(world, workload, async () => {
    rounds += 1;
    const [known] = watchers;
    if (known === undefined || known.dataLosses !== world.faults.dataLosses) {
      // Those from before must hear again, now in a new session.
      if (watchers.length > 0) await touchAndHear(world, toucher, watchers);
      const old = watchers;
      watchers = [];
      await Promise.all(old.map(({ session }) => session.close()));
      const kinds: readonly Kind[] = ['session', 'session', 'stateless'];
      watchers = await watchAll(world, kinds, toucher);
    }
    if (rounds % 5 === 0) await addAndList(world, toucher, watchers, `new-${rounds}`);
    else await touchAndHear(world, toucher, watchers);
    await checkCounts(world, toucher, watchers);
  });
  await Promise.all([toucher, ...watchers.map(({ session }) => session)].map((session) => session.close()));
}

/** Rejects only when none is connected any more. */
async function watchAll(world: World, kinds: readonly Kind[], toucher: ClientSession): Promise<Watcher[]> {
  const watching = await Promise.allSettled(kinds.map((kind) => watch(world, kind, toucher)));
  const watchers = watching.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = watching.find((each) => each.status === 'rejected');
  if (failed === undefined) return watchers;
  await Promise.all(watchers.map(({ session }) => session.close()));
  throw failed.reason;
}

async function watch(world: World, kind: Kind, toucher: ClientSession): Promise<Watcher> {
  const session = await connect(world, `subscriber (${kind})`, clientOptions(kind));
  try {
    return await subscribed(world, kind, session, toucher);
  } catch (error) {
    await session.close();
    throw error;
  }
}

async function subscribed(world: World, kind: Kind, session: ClientSession, toucher: ClientSession): Promise<Watcher> {
  const { dataLosses } = world.faults;
  const watcher = {
    ...{ kind, session, heard: 0, lastHeard: 0, listsHeard: 0, dataLosses },
    changesBefore: await changesOf(toucher),
  };
  session.onNotification('notifications/resources/updated', ({ uri }) => {
    if (uri !== URI) world.ledger.violate(`subscriber (${kind})`, `heard of ${uri}, which it did not subscribe to`);
    watcher.heard += 1;
    watcher.lastHeard = performance.now();
  });
  session.onNotification('notifications/resources/list_changed', () => {
    watcher.listsHeard = performance.now();
  });
  await session.subscribe(URI);
  return watcher;
}

async function touchAndHear(world: World, toucher: ClientSession, watchers: readonly Watcher[]): Promise<void> {
  const before = performance.now();
  textOf(await toucher.callTool('touch', { name: TOUCHED }));
  await all(world, watchers, (watcher) => watcher.lastHeard > before, 'did not hear of a change');
}

/** A resource that is added is listed by every process, and announced. */
async function addAndList(
  world: World,
  toucher: ClientSession,
  watchers: readonly Watcher[],
  name: string,
): Promise<void> {
  const { dataLosses } = world.faults;
  const before = performance.now();
  textOf(await toucher.callTool('touch', { name }));
  for (let times = 0; times < 4; times += 1) {
    const listed = (await toucher.listResources()).some(({ uri }) => uri.endsWith(name));
    if (!listed && world.faults.dataLosses === dataLosses) throw new BrokenPromise(`${name} is not listed`);
  }
  await all(world, watchers, (watcher) => watcher.listsHeard > before, 'did not hear of a new resource');
}

async function all(
  world: World,
  watchers: readonly Watcher[],
  hasHeard: (watcher: Watcher) => boolean,
  what: string,
): Promise<void> {
  const { dataLosses } = world.faults;
  const start = performance.now();
  for (const watcher of watchers) {
    while (!hasHeard(watcher)) {
      // The change itself may be lost.
      if (world.faults.dataLosses !== dataLosses) return;
      if (performance.now() - start > world.leaseMs + SLACK_MS) {
        throw new BrokenPromise(`a subscriber (${watcher.kind}) ${what}`);
      }
      await delay(POLL_MS);
    }
    // What a process misses it reads at its next check of Redis.
    if (performance.now() - start > world.leaseMs) world.ledger.count(`subscriber (${watcher.kind})`, 'heard late');
  }
}

/** In a session that has not been replaced there is at most one notification for each change. */
async function checkCounts(world: World, toucher: ClientSession, watchers: readonly Watcher[]): Promise<void> {
  for (const { kind, heard, changesBefore, dataLosses } of watchers) {
    // A stateless client that subscribes again takes everything for changed.
    if (kind === 'stateless') continue;
    const changes = (await changesOf(toucher)) - changesBefore;
    if (world.faults.dataLosses !== dataLosses) return;
    if (heard > changes) throw new BrokenPromise(`a subscriber got ${heard} notifications for ${changes} changes`);
  }
}

/** How often the resource was changed. */
async function changesOf(session: ClientSession): Promise<number> {
  const resources = await session.listResources();
  if (!resources.some(({ uri }) => uri === URI)) return 0;
  const [contents] = await session.readResource(URI).catch((error) => {
    if (/Resource not found/.test(error.message)) return [{ text: '{"changes":0}' }]; // Redis has just lost its data
    throw error;
  });
  return JSON.parse(String((contents as { text?: string }).text)).changes;
}
