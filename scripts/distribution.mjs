// @ts-check
// `npm run distribution`: makes what users of agents install, in distribution/.
//   registry/NAME/server.json    for the official MCP registry
//   NAME.mcpb                    a bundle for desktop applications
//   claude-code/                 a marketplace of plugins for Claude Code, with its gate
//   gemini-cli/NAME/             an extension for the Gemini CLI, with its gate
//   hawser.vsix                  the extension for VS Code
//   hawser-jetbrains.zip         the plugin for JetBrains IDEs, with `npm run distribution -- jetbrains`
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packPlugin } from '../editors/jetbrains/build.mjs';
import {
  bundleManifest,
  claudeHooks,
  claudeMarketplace,
  claudePlugin,
  geminiExtension,
  geminiHooks,
  registryEntry,
  servers,
} from './distribution/manifests.mjs';
import { prepare, root } from './prepare.mjs';
import { platformFolder, preparePlatform } from './real/jetbrains.mjs';
import { npmCommand, run, runSteps } from './steps.mjs';
import { makeExtension, NODE, packExtension, VSIX_PACKAGER } from './vscode-extension.mjs';

const BUNDLER = '@anthropic-ai/mcpb@2.1.2';
const home = join(root, 'distribution');
const tools = join(root, 'node_modules', '.cache', 'distribution');

await runSteps(process.stdout, async (steps) => {
  await prepare(steps);
  await steps.build(root);
  await steps.install(BUNDLER, tools, ['--ignore-scripts', BUNDLER, VSIX_PACKAGER, `${NODE}@22`]);
  rmSync(home, { recursive: true, force: true });
  write(join(home, 'claude-code', '.claude-plugin', 'marketplace.json'), claudeMarketplace());
  for (const server of servers) {
    const { id } = server;
    const bundle = join(home, 'bundles', id);
    await steps.step(id, async () => {
      write(join(home, 'registry', id, 'server.json'), registryEntry(server));
      const plugin = join(home, 'claude-code', 'plugins', id);
      const { plugin: about, mcp } = claudePlugin(server);
      write(join(plugin, '.claude-plugin', 'plugin.json'), about);
      write(join(plugin, '.mcp.json'), mcp);
      if (server.gate) write(join(plugin, 'hooks', 'hooks.json'), claudeHooks(server));
      unpack(server.folder, join(plugin, 'server'));
      const extension = join(home, 'gemini-cli', id);
      write(join(extension, 'gemini-extension.json'), geminiExtension(server));
      if (server.gate) write(join(extension, 'hooks', 'hooks.json'), geminiHooks(server));
      unpack(server.folder, join(extension, 'server'));
      write(join(bundle, 'manifest.json'), bundleManifest(server));
      unpack(server.folder, join(bundle, 'server'));
      return await run(join(tools, 'node_modules', '.bin', 'mcpb'), ['pack', bundle, join(home, `${id}.mcpb`)]);
    });
  }
  rmSync(join(home, 'bundles'), { recursive: true });
  await steps.step('hawser.vsix', async () => {
    const extension = join(tools, 'vscode');
    await makeExtension(extension);
    return await packExtension(extension, join(home, 'hawser.vsix'), tools);
  });
  if (process.argv.includes('jetbrains')) {
    await preparePlatform(steps);
    await steps.step('hawser-jetbrains.zip', async () => {
      packPlugin({ platform: platformFolder, out: join(home, 'jetbrains'), file: join(home, 'hawser-jetbrains.zip') });
      return 0;
    });
  }
  steps.say('\nMade distribution/. CONTRIBUTING.md says how to publish it, docs/install.md how to install from it.');
});

/**
 * @param {string} path
 * @param {object} content
 */
function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
}

/**
 * Puts what npm would publish into a folder.
 * @param {string} source
 * @param {string} target
 */
function unpack(source, target) {
  mkdirSync(target, { recursive: true });
  const [npm, prefix] = npmCommand(process.env);
  const pack = [...prefix, 'pack', '--ignore-scripts', '--silent', '--pack-destination', target];
  const tarball = execFileSync(npm, pack, { cwd: source, encoding: 'utf8' }).trim();
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1'], { cwd: target });
  rmSync(join(target, tarball));
}
