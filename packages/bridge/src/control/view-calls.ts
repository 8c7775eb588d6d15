import { RpcError } from '@hawser/mcp';
import { messageOf } from '@hawser/unknown-values/thrown';
import type { Editor, Range } from '../editor.ts';
import { listFiles } from '../files/list-files.ts';
import { readRegularFile } from '../regular-file.ts';
import type { Arguments } from './arguments.ts';
import { type DiagnosticsList, type FileText, type FolderFiles, MAX_VISIBILITIES, Method, Refusal } from './calls.ts';
import type { Controlled } from './control.ts';

/** The largest file that a view shows. */
const MAX_SHOWN_BYTES = 4 * 1024 * 1024;
const MAX_DIAGNOSTICS = 5000;

/** What a call is answered with. What it throws is an Error for the user, or an RpcError. */
export type Call = (given: Arguments, controlled: Controlled, signal: AbortSignal) => unknown;

/** What the views of the terminal ask for, by method. */
export const VIEW_CALLS: ReadonlyMap<string, Call> = new Map<string, Call>([
  [Method.files, (_given, { access }, signal) => files(access.folders, signal)],
  [
    Method.visibility,
    (given, { access }) => Promise.all(given.texts('paths', MAX_VISIBILITIES).map((path) => access.visibility(path))),
  ],
  [Method.readFile, (given, controlled) => fileText(given.text('path'), controlled)],
  [Method.select, (given, { editor }) => select(given.text('path'), given.range('range'), editor)],
  [Method.diagnostics, (_given, { editor }) => diagnostics(editor)],
  [Method.mark, (given, { mark }) => mark(given.text('event')).then(() => ({}))],
  [
    Method.announce,
    (given, { announce }) => {
      announce(given.text('path'), given.optionalText('text'));
      return {};
    },
  ],
  [Method.since, (_given, { since }, signal) => since(signal)],
  [Method.disconnect, (given, controlled) => disconnect(given.text('id'), controlled)],
]);

function files(folders: readonly string[], signal: AbortSignal): Promise<FolderFiles[]> {
  return Promise.all(folders.map(async (folder) => ({ folder, ...(await listFiles(folder, { signal })) })));
}

async function fileText(path: string, { access }: Controlled): Promise<FileText> {
  const bytes = await readRegularFile(path, MAX_SHOWN_BYTES);
  if (bytes.subarray(0, 8192).includes(0)) throw new Error(`Not a text file: ${path}`);
  return { text: new TextDecoder().decode(bytes), visibility: await access.visibility(path) };
}

async function select(path: string, range: Range, editor: Editor): Promise<object> {
  // The selection of an editor with a window belongs to the user who works there.
  if (editor.isWindowless !== true) return {};
  await editor.openFile({ path, range });
  return {};
}

async function diagnostics(editor: Editor): Promise<DiagnosticsList> {
  const found = (await editor.diagnostics?.()) ?? [];
  let room = MAX_DIAGNOSTICS;
  const kept = found.map(({ path, diagnostics: all }) => {
    const some = all.slice(0, Math.max(0, room));
    room -= some.length;
    return { path, diagnostics: some };
  });
  return {
    files: kept.filter((file) => file.diagnostics.length > 0),
    total: found.reduce((sum, file) => sum + file.diagnostics.length, 0),
  };
}

async function disconnect(id: string, { agents }: Controlled): Promise<object> {
  const client = agents()
    .flatMap((agent) => agent.clients())
    .find((each) => each.id === id);
  if (client === undefined) throw new Error(`No agent ${id} is connected`);
  await client.disconnect();
  return {};
}

/** The caller is the user, who may read what failed. */
export async function readably<Answer>(answer: () => Answer): Promise<Awaited<Answer>> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof RpcError) throw error;
    throw new RpcError(Refusal.failed, messageOf(error));
  }
}
