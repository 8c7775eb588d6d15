import type { ClientCapabilities, SymbolKind } from 'vscode-languageserver-protocol/node';
import { SYMBOL_KINDS } from '../../../language-features.ts';

const dynamic = { dynamicRegistration: true };

/** What we can do with a server's answers. Columns count UTF-16 code units; edits are edits of text. */
export const CLIENT_CAPABILITIES: ClientCapabilities = {
  general: { positionEncodings: ['utf-16'] },
  window: { workDoneProgress: true, showMessage: {}, showDocument: { support: false } },
  workspace: {
    applyEdit: false,
    configuration: true,
    workspaceFolders: true,
    workspaceEdit: { documentChanges: true },
    didChangeConfiguration: dynamic,
    didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
    symbol: { ...dynamic, symbolKind: { valueSet: SYMBOL_KINDS.map((_, index) => (index + 1) as SymbolKind) } },
    diagnostics: { refreshSupport: true },
  },
  textDocument: {
    synchronization: { ...dynamic, didSave: true },
    publishDiagnostics: { versionSupport: true },
    diagnostic: { ...dynamic, relatedDocumentSupport: false },
    definition: { ...dynamic, linkSupport: true },
    references: dynamic,
    hover: { ...dynamic, contentFormat: ['markdown', 'plaintext'] },
    documentSymbol: { ...dynamic, hierarchicalDocumentSymbolSupport: true },
    rename: { ...dynamic, prepareSupport: false },
    formatting: dynamic,
    codeAction: {
      ...dynamic,
      codeActionLiteralSupport: {
        codeActionKind: { valueSet: ['quickfix', 'refactor', 'source', 'source.organizeImports', 'source.fixAll'] },
      },
      isPreferredSupport: true,
      disabledSupport: true,
      dataSupport: true,
      resolveSupport: { properties: ['edit'] },
    },
  },
};
