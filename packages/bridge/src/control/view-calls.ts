import { type Request, RpcError } from '@hawser/mcp';
import { messageOf } from '@hawser/unknown-values/thrown';
import type { Range } from '../editor.ts';
import { listFiles } from '../files/list-files.ts';
import { readRegularFile } from '../regular-file.ts';
import { Arguments } from './arguments.ts';
import { type DiagnosticsList, type FileText, type FolderFiles, MAX_VISIBILITIES, Method, Refusal } from './calls.ts';
import type { Controlled } from './control.ts';

/** The largest file that a view shows. */
const MAX_SHOWN_BYTES = 4 * 1024 * 1024;
const MAX_DIAGNOSTICS = 5000;

/** What the views of the terminal ask for. Undefined for another method. */
export function answerView(
  { method, params }: Request,
  controlled: Controlled,
  signal: AbortSignal,
): Promise<unknown> | undefined {
  switch (method) {
    case Method.files:
      return readably(files(controlled, signal));
    case Method.visibility: {
      const paths = new Arguments(params).texts('paths', MAX_VISIBILITIES);
      return readably(Promise.all(paths.map((path) => controlled.access.visibility(path))));
    }
    case Method.readFile:
      return readably(fileText(new Arguments(params).text('path'), controlled));
    case Method.select: {
      const given = new Arguments(params);
      return readably(select(given.text('path'), given.range('range'), controlled));
    }
    case Method.diagnostics:
      return readably(diagnostics(controlled));
    case Method.mark:
      return readably(mark(new Arguments(params).text('event'), controlled));
    case Method.announce: {
      const given = new Arguments(params);
      controlled.announce(given.text('path'), given.optionalText('text'));
      return Promise.resolve({});
    }
    case Method.since:
      return readably(controlled.since(signal));
    case Method.disconnect:
      return readably(disconnect(new Arguments(params).text('id'), controlled));
    default:
      return undefined;
  }
}

async function mark(event: string, controlled: Controlled): Promise<object> {
  await controlled.mark(event);
  return {};
}

async function files({ access }: Controlled, signal: AbortSignal): Promise<FolderFiles[]> {
  return await Promise.all(
    access.folders.map(async (folder) => ({ folder, ...(await listFiles(folder, { signal })) })),
  );
}

async function fileText(path: string, { access }: Controlled): Promise<FileText> {
  const bytes = await readRegularFile(path, MAX_SHOWN_BYTES);
  if (bytes.subarray(0, 8192).includes(0)) throw new Error(`Not a text file: ${path}`);
  return { text: new TextDecoder().decode(bytes), visibility: await access.visibility(path) };
}

async function select(path: string, range: Range, { editor }: Controlled): Promise<object> {
  // The selection of an editor with a window belongs to the user who works there.
  if (editor.isWindowless !== true) return {};
  await editor.openFile({ path, range });
  return {};
}

async function diagnostics({ editor }: Controlled): Promise<DiagnosticsList> {
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
async function readably(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RpcError) throw error;
    throw new RpcError(Refusal.failed, messageOf(error));
  }
}
