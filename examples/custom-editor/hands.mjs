// The custom editor with the hands of a user, for `hawser editor --check -- node examples/custom-editor/hands.mjs`.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CustomEditor } from './editor.mjs';

const editor = new CustomEditor();
const hands = {
  'test/type': ({ uri, text }) => {
    editor.find(fileURLToPath(uri)).text = text;
    editor.sendState();
  },
  'test/select': ({ uri, range }) => editor.select(fileURLToPath(uri), range),
  'test/mention': (params) => editor.notify('editor/mention', params),
  'test/folder': ({ path }) =>
    editor.notify('editor/didChangeFolders', { workspaceFolders: [{ uri: pathToFileURL(path).href }] }),
  'test/report': ({ uri, diagnostic }) =>
    editor.notify('textDocument/publishDiagnostics', { uri, diagnostics: [diagnostic] }),
  'test/shown': ({ id }) => ({ isShown: editor.proposals.has(id) }),
  'test/says': ({ id, words }) => ({ isSaid: editor.proposals.get(id)?.problem?.includes(words) === true }),
  'test/decide': ({ id, decision }) => void editor.decide(id, decision).catch(() => {}),
  'test/dismiss': ({ id }) => void editor.decide(id, { kind: 'rejected' }).catch(() => {}),
};
Object.assign(editor.handlers, hands);
await editor.start(process.cwd(), { capabilities: { diagnostics: true, test: Object.keys(hands) } });
