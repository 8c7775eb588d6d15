import type { Command } from '@hawser/command-line/command';
import type { Environment } from '../command-line/environment.ts';
import type { EditorFlags } from '../serving/run-editor.ts';
import { serveCommand } from './serve.ts';

/** Those of `hawser serve` that a plugin sets. */
const SHARED = ['port', 'agents', 'language-servers', 'noticing', 'history', 'deny', 'log-file', 'json'];

export const editorCommand: Command<Environment> = {
  name: 'editor',
  rest: 'command',
  description: 'serve the editor whose plugin starts this, by the editor protocol on stdin and stdout',
  options: [
    ...serveCommand.options.filter(({ name }) => SHARED.includes(name)),
    {
      name: 'join',
      value: 'dir',
      description:
        'print the socket of the bridge that serves this folder; starts one in the background if there is none',
    },
    { name: 'lsp', description: 'be a language server, for editors without a plugin: Helix, Kate, Kakoune' },
    { name: 'check', description: 'test a plugin: -- and the command that starts its editor follow' },
    { name: 'only', value: 'words', description: 'with --check: only tests whose name contains this' },
  ],
  notes: `It joins the bridge that serves the first folder of the editor, or is the bridge for as long as the editor runs.
With --join it prints {"socket": "…"} and exits; a plugin that can open a socket speaks the protocol there, and the
bridge goes on while the editor reloads: it ends a minute after the last editor and agent have left.
docs/editor-protocol.md specifies the messages, docs/lsp.md has the settings for --lsp. hawser editor --check -- COMMAND exits with 1 if a test fails.`,
  run: async (given, environment, _argument, rest) => {
    const flags = given as unknown as EditorFlags;
    if (flags.check === true) {
      const { checkPlugin } = await import('../serving/check-plugin.ts');
      return await checkPlugin(rest, flags.only, environment);
    }
    if (flags.join !== undefined) {
      const { printBridge } = await import('../serving/join-bridge.ts');
      return await printBridge(flags.join, flags, environment);
    }
    if (flags.lsp === true) {
      const { runLsp } = await import('../serving/run-lsp.ts');
      return await runLsp(flags, rest, environment);
    }
    const { runEditor } = await import('../serving/run-editor.ts');
    await runEditor(flags, rest, environment);
  },
};
