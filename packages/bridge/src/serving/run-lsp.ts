import { realpathSync } from 'node:fs';
import { ExitCode } from '@hawser/command-line/exit-codes';
import { endProcess } from '@hawser/command-line/process-end';
import { memoryPair } from '@hawser/mcp';
import type { Environment } from '../command-line/environment.ts';
import { LspServer } from '../editors/lsp/lsp-server.ts';
import { ContentLengthConnection } from '../editors/remote/content-length-connection.ts';
import { TemporaryFiles } from '../temporary-files.ts';
import { connectBridge } from './joining.ts';
import { openLog } from './open-log.ts';
import { type EditorFlags, requireEditor, serveEditor } from './run-editor.ts';

/** Is the language server of the editor that has started this process. Rejects if it can't be the bridge either. */
export async function runLsp(flags: EditorFlags, rest: readonly string[], environment: Environment): Promise<void> {
  requireEditor(rest);
  const { stateFolder, version, stderr } = environment;
  const log = openLog({ file: flags.logFile, level: 'error', json: flags.json ?? false, stderr });
  const end = () => void endProcess(async () => {}, ExitCode.ok);
  let onEnd = end;
  await new Promise<void>((_, reject) => {
    const server = new LspServer({
      connection: new ContentLengthConnection(process.stdin, process.stdout),
      folder: realpathSync(environment.cwd),
      stateFolder,
      temporaryFiles: new TemporaryFiles(stateFolder),
      serverInfo: { name: 'hawser', version },
      onProblem: (problem) => log.error('editor', { message: problem.message }),
      onEnd: () => onEnd(),
      connectBridge: async (folder) => {
        const socket = await connectBridge({ folder, deny: flags.deny }, environment);
        if (socket !== undefined) {
          environment.onSignal(() => {
            void server.close('It was asked to end');
            return 'exiting';
          });
          return new ContentLengthConnection(socket, socket);
        }
        const [ours, theirs] = memoryPair();
        // The bridge ends the process, once it is closed.
        onEnd = () => {};
        serveEditor(theirs, flags, environment).catch(reject);
        return ours;
      },
    });
    server.start();
  });
}
