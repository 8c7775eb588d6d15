import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Cluster } from '../../examples/cluster/cluster.mjs';
import { ask } from './tasks.ts';

const program = fileURLToPath(new URL('../fixtures/restartable-server.mjs', import.meta.url));

it('a restartable task whose process is killed is done by another process', async () => {
  const cluster = new Cluster({ processes: 2, program, env: { LEASE_MS: '1500' } });
  try {
    await cluster.start();
    const port = Number(new URL(cluster.url).port);
    const { answer, process } = await ask(port, 'tools/call', { name: 'work', arguments: { ms: 500 } });
    const index = Number(process.replace('process-', '')) - 1;
    const [killed, other] = [cluster.servers[index], cluster.servers[1 - index]];
    await killed?.stop('SIGKILL');
    const { taskId } = answer;
    const look = async () => (await ask(port, 'tasks/get', { taskId }).catch(() => undefined))?.answer;
    await expect
      .poll(look)
      .toMatchObject({ status: 'completed', result: { content: [{ text: `done by ${other?.pid}` }] } });
  } finally {
    await cluster.close();
  }
});
