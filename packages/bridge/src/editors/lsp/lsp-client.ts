import { objectOrEmpty } from '@hawser/unknown-values/objects';
import { realPathOf } from './open-texts.ts';

/** What an LSP client says of itself in `initialize`. */
export interface LspClient {
  readonly name: string;
  readonly processId: number | undefined;
  /** The main one first; may be empty. */
  readonly folders: readonly string[];
  readonly showsDocuments: boolean;
  /** How it takes edits; undefined: not at all. */
  readonly edits: 'versioned' | 'plain' | undefined;
  /** The user wants a question about each proposal. */
  readonly asksAboutProposals: boolean;
  /** The user wants requests for highlights to be taken for the place of the cursor. */
  readonly followsCursor: boolean;
}

export function readClient(params: Readonly<Record<string, unknown>>): LspClient {
  const { clientInfo, processId, workspaceFolders, rootUri, initializationOptions } = params;
  const { workspace, window } = objectOrEmpty(params.capabilities);
  const { applyEdit, workspaceEdit } = objectOrEmpty(workspace);
  const { documentChanges, resourceOperations } = objectOrEmpty(workspaceEdit);
  const { name } = objectOrEmpty(clientInfo);
  const { proposals, followCursor } = objectOrEmpty(initializationOptions);
  const list = Array.isArray(workspaceFolders) ? workspaceFolders.map((each) => objectOrEmpty(each).uri) : [];
  // Operations on files exist only in versioned edits, so a client that has them takes those.
  const isVersioned = documentChanges === true || Array.isArray(resourceOperations);
  return {
    name: typeof name === 'string' && name !== '' ? name : 'LSP client',
    processId: Number.isInteger(processId) ? Number(processId) : undefined,
    folders: [...new Set((list.length > 0 ? list : [rootUri]).flatMap((uri) => realPathOf(uri) ?? []))],
    showsDocuments: objectOrEmpty(objectOrEmpty(window).showDocument).support === true,
    edits: applyEdit !== true ? undefined : isVersioned ? 'versioned' : 'plain',
    asksAboutProposals: proposals === 'ask',
    followsCursor: followCursor === true,
  };
}
