// A client over HTTP, in whatever runtime this is: node run-http-client.mjs URLS
import { driveClient } from './http-client.mjs';

await driveClient(JSON.parse(process.argv[2]));
