import { clientOptions, connect, expectEqual, repeat, textOf, type World } from './world.ts';

/** Calls that are answered at once. */
export async function calls(world: World, kind: 'session' | 'stateless'): Promise<void> {
  const workload = `calls (${kind})`;
  const session = await connect(world, workload, clientOptions(kind));
  let count = 0;
  await repeat(world, workload, async () => {
    count += 1;
    const text = `${kind} ${count}`;
    expectEqual(textOf(await session.callTool('echo', { text })), text, 'the echo');
  });
  await session.close();
}

/** Calls during which the server asks the client. */
export async function questions(world: World, kind: 'session' | 'stateless'): Promise<void> {
  const workload = `questions (${kind})`;
  let name = '';
  let asked = 0;
  const session = await connect(world, workload, {
    ...clientOptions(kind),
    elicit: () => {
      asked += 1;
      return { action: 'accept', content: { name } };
    },
  });
  let count = 0;
  await repeat(world, workload, async () => {
    count += 1;
    asked = 0;
    name = `name ${count}`;
    expectEqual(textOf(await session.callTool('ask')), name, 'the name');
    expectEqual(asked, 1, 'the number of questions');
  });
  await session.close();
}

/** Calls that send messages before their answer; the client resumes their streams. */
export async function streams(world: World): Promise<void> {
  const workload = 'streams (session)';
  let received: unknown[] = [];
  const session = await connect(world, workload, clientOptions('session'));
  session.onNotification('notifications/message', ({ data }) => received.push(data));
  let calls = 0;
  await repeat(world, workload, async () => {
    calls += 1;
    received = [];
    const count = 10 + (calls % 30);
    const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
    try {
      expectEqual(textOf(await session.callTool('stream', { count, everyMs: 40 })), `${count} messages`, 'the answer');
    } finally {
      // Of a call that failed, too, nothing is missing in between.
      expectEqual(received, upTo(received.length), 'what the stream sent');
    }
    expectEqual(received, upTo(count), 'what the stream sent');
  });
  await session.close();
}
