import type { Readable, Writable } from 'node:stream';
import { MsgpackConnection } from '../../src/editors/remote/msgpack-connection.ts';
import { acceptEditor, type RemoteEditor } from '../../src/editors/remote/remote-editor.ts';
import type { NeovimUser } from './user.ts';

/** The editor on the other side of these streams, accepted as the bridge does it. */
export function acceptNeovim(reader: Readable, writer: Writable, onEnd?: () => void): Promise<RemoteEditor> {
  return acceptEditor({
    connection: new MsgpackConnection(reader, writer),
    carriesNul: true,
    waitsForPrompts: true,
    // All texts go in messages.
    stateFolder: '/nowhere',
    serverInfo: { name: 'hawser', version: 'test' },
    isShared: false,
    mayHaveNoFolder: true,
    ...(onEnd && { onEnd }),
  });
}

/** As if this test were the program that the plugin starts. Ends the user's Neovim if that fails. */
export async function attachNeovim(user: NeovimUser, onEnd?: () => void): Promise<RemoteEditor> {
  const { stdin, stdout } = user.process;
  if (stdin === null || stdout === null) throw new Error('Neovim has no pipes');
  const accepting = acceptNeovim(stdout, stdin, onEnd);
  try {
    // The channel of an embedded Neovim's stdin and stdout.
    await user.lua("require('hawser.bridge').connect(1)");
    return await accepting;
  } catch (error) {
    accepting.catch(() => undefined);
    await user.dispose();
    throw error;
  }
}
