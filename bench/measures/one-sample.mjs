import { LoadClient } from '../load/load-client.mjs';
import { openStdioWire } from '../load/stdio-wire.mjs';

/** A measure whose samples have processes of their own, so that no heap is left over from the sample before. */
export const freshProcess = (sample) => ({ sample, close: async () => {} });

/** Starts a server, and gives it an initialized client over stdio for one sample. */
export async function withStdioClient(server, sample) {
  const wire = openStdioWire(server);
  try {
    const client = new LoadClient(wire);
    await client.initialize();
    return await sample(client, wire);
  } finally {
    await wire.close();
  }
}
