import { expect, it } from 'vitest';
import { gate as claudeGate } from '../packages/bridge/src/agents/claude-code/gate.ts';
import { gate as geminiGate } from '../packages/bridge/src/agents/gemini-cli/gate.ts';
import type { Gate } from '../packages/bridge/src/gate.ts';
import {
  bundleManifest,
  claudeHooks,
  claudeMarketplace,
  claudePlugin,
  geminiExtension,
  geminiHooks,
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

it.each([
  ['claude-code', claudeGate, claudeHooks, 'CLAUDE_PLUGIN_ROOT'],
  ['gemini-cli', geminiGate, geminiHooks, 'extensionPath'],
] as const)('the gate of the plugin is the one that hawser gate on %s writes', (name, gate: Gate, hooksOf, folder) => {
  const server = servers.find((each) => each.gate);
  if (server === undefined || 'text' in gate.hook.content) throw new Error('There is one');
  const { hooks } = hooksOf(server);
  const command = `exec node "\${${folder}}/server/${server.program}" gate hook ${name}`;
  const expected = gate.hook.content.flatMap(({ at, value }) => {
    const entry = value(command, { shell: 'allow' });
    return entry === undefined ? [] : [[at.at(-1), [entry]]];
  });
  expect(hooks).toEqual(Object.fromEntries(expected));
});
