import { describe } from 'vitest';
import { sender } from '../../../../testing/http-client.ts';

// The other files send requests with Node's HTTP client; the same must hold with fetch.
sender.fetch = fetch;
describe('with fetch', async () => {
  await import('./connect.test.ts');
  await import('./session.test.ts');
  await import('./authorization.test.ts');
  await import('./hostile-endpoint.test.ts');
  await import('./legacy-sse.test.ts');
});
