import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../packages/inspect/testing/browser.ts';
import { driveClient } from './runtimes/http-client.mjs';
import { serveForClients } from './runtimes/serve-for-clients.mjs';

const FACTS = ['session by initialize', 'session by discover', 'authorization', 'errors'];
let served: Awaited<ReturnType<typeof serveForClients>>;
beforeAll(async () => {
  served = await serveForClients();
});
afterAll(() => served.close());

/** The suite as one script. A built-in module of Node anywhere in it would fail the build. */
async function bundle(): Promise<string> {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `export { driveClient } from './runtimes/http-client.mjs';`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    bundle: true,
    write: false,
    metafile: true,
    format: 'iife',
    globalName: 'suite',
    platform: 'browser',
    target: 'es2022',
    conditions: ['@hawser/source'],
    logLevel: 'silent',
  });
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  return outputFiles[0]?.text ?? '';
}

it('the client speaks HTTP in Node', async () => {
  expect(await driveClient(served.urls)).toEqual(FACTS);
});

it('the client is bundled for a browser without a module of Node, and speaks there with servers of other origins', async () => {
  const script = await bundle();
  const site = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>client</title>');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    await page.addScriptTag({ content: script });
    const facts = await page.evaluate(`suite.driveClient(${JSON.stringify(served.urls)})`);
    expect(facts).toEqual(FACTS);
  } finally {
    await browser.close();
    await new Promise((resolve) => site.close(resolve));
  }
});
