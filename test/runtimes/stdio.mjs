import { serveStdio } from '@hawser/mcp/stdio';
import { makeServer } from './server.mjs';

serveStdio(makeServer());
