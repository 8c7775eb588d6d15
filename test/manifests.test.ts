import { expect, it } from 'vitest';
import {
  bundleManifest,
  claudeMarketplace,
  claudePlugin,
  geminiExtension,
  registryEntry,
  servers,
} from '../scripts/distribution/manifests.mjs';

it.each(servers)('$id is described as the MCP registry wants it', (server) => {
  const { json } = server;
  const entry = registryEntry(server);
  expect(entry.name).toMatch(/^io\.github\.[\w-]+\/[\w.-]+$/);
  expect(entry.name).toBe(json.mcpName);
  expect(entry.description.length).toBeLessThanOrEqual(100);
  expect(entry).toMatchObject({
    version: json.version,
    packages: [{ registryType: 'npm', identifier: json.name, version: json.version, transport: { type: 'stdio' } }],
  });
});

it.each(servers)('$id has the same name, version and program in every form', (server) => {
  const { id, json, program, args } = server;
  const { plugin, mcp } = claudePlugin(server);
  const extension = geminiExtension(server);
  const bundle = bundleManifest(server);
  for (const form of [plugin, extension, bundle]) expect(form).toMatchObject({ name: id, version: json.version });
  for (const started of [mcp.mcpServers[id], extension.mcpServers[id], bundle.server.mcp_config]) {
    const { command, args: words = [] } = started ?? {};
    expect([command, words[0]?.replace(/^\$\{\w+\}\/server\//, ''), ...words.slice(1)]).toEqual([
      'node',
      program,
      ...args,
    ]);
  }
  expect(claudeMarketplace().plugins).toContainEqual(expect.objectContaining({ name: id, source: `./plugins/${id}` }));
});
