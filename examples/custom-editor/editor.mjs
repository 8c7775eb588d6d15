// An editor that speaks the Hawser editor protocol: documents, selection and proposals, without a screen.
// docs/editor-protocol.md walks through this file. main.mjs is a user interface on it.
import { spawn } from 'node:child_process';
import { readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const uriOf = (path) => pathToFileURL(path).href;

export class CustomEditor {
  /** Open documents by path: { path, text, saved, bom, range }. */
  documents = new Map();
  /** The document that the user looks at. @type {string | undefined} */
  active;
  /** Open proposals by id. */
  proposals = new Map();
  /** What the bridge asks for, by method. What a handler returns is its result; what it throws, an error for the user. */
  handlers = {
    'window/showDocument': ({ uri, takeFocus, selection }) => {
      const path = this.open(fileURLToPath(uri), takeFocus);
      if (selection) this.select(path, selection);
      return { success: true };
    },
    'editor/save': ({ uri }) => this.save(fileURLToPath(uri)),
    'editor/close': ({ uri }) => this.close(fileURLToPath(uri)),
    'window/showMessage': ({ message }) => this.onMessage(message),
    'proposal/show': (proposal) => {
      this.proposals.set(proposal.id, proposal);
      this.onMessage(`${proposal.agent} proposes ${proposal.id}: ${proposal.title}`);
      return { state: 'shown' };
    },
    'proposal/update': (proposal) => this.handlers['proposal/show'](proposal),
    'proposal/progress': ({ id, progress: { kind, text: mine, reason: problem } }) => {
      if (kind !== 'failed' || !this.proposals.has(id)) return;
      Object.assign(this.proposals.get(id), { mine, problem });
      this.onMessage(`${id} is not written: ${problem}`);
    },
    'proposal/close': ({ id }) => this.proposals.delete(id),
  };
  onMessage = (_message) => {};
  #bridge;
  #lastId = 0;
  #answers = new Map();

  /** Starts the bridge, or joins the one that serves the folder. */
  async start(folder, { command = ['hawser', 'editor'], capabilities = {} } = {}) {
    this.#bridge = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
    readFrames(this.#bridge.stdout, (message) => this.#receive(message));
    this.#bridge.stdin.on('error', () => {}); // it has ended
    await this.request('initialize', {
      protocolVersion: 1,
      clientInfo: { name: 'Custom editor' },
      workspaceFolders: [{ uri: uriOf(folder) }],
      capabilities: { ...CAPABILITIES, ...capabilities },
    });
    this.notify('initialized');
    this.sendState();
  }

  request(method, params) {
    const id = ++this.#lastId;
    this.#send({ id, method, params });
    return new Promise((resolve, reject) => this.#answers.set(id, { resolve, reject }));
  }

  notify = (method, params = {}) => this.#send({ method, params });

  /** All state of a kind at once, so that nothing is lost if it is sent twice. */
  sendState() {
    const documents = [...this.documents.values()].map(({ path, text, saved }) => ({
      uri: uriOf(path),
      lineCount: linesOf(text).length,
      isActive: path === this.active,
      isDirty: text !== saved,
    }));
    this.notify('editor/didChangeDocuments', { documents });
    const { path, range, text } = this.documents.get(this.active) ?? {};
    if (!path) return this.notify('editor/didChangeSelection', { uri: null });
    const selected = text.slice(offsetOf(text, range.start), offsetOf(text, range.end));
    this.notify('editor/didChangeSelection', { uri: uriOf(path), range, text: selected });
  }

  open(given, takeFocus = true) {
    const path = realpathSync(given);
    if (!this.documents.has(path)) this.documents.set(path, { path, range: CURSOR, ...read(path) });
    if (takeFocus) this.active = path;
    this.sendState();
    return path;
  }

  /** The user, or an agent, selects; a position outside the text is the nearest one in it. */
  select(path, { start, end }) {
    const document = this.find(path);
    document.range = { start: nearest(document.text, start), end: nearest(document.text, end) };
    this.active = document.path;
    this.sendState();
  }

  save(path) {
    const document = this.find(path);
    if (!(statSync(document.path).mode & 0o200)) throw new Error(`It is read-only: ${path}`);
    if (read(document.path).saved !== document.saved) throw new Error(`It has changed on disk: ${path}`);
    writeFileSync(document.path, document.bom + document.text);
    document.saved = document.text;
    this.notify('editor/didSave', { uri: uriOf(document.path) });
    this.sendState();
  }

  close(path) {
    const { text, saved } = this.find(path);
    if (text !== saved) throw new Error(`${path} has unsaved text`);
    this.documents.delete(path);
    if (this.active === path) this.active = [...this.documents.keys()].at(-1);
    this.sendState();
  }

  find(path) {
    const document = this.documents.get(path);
    if (!document) throw new Error(`It is not open: ${path}`);
    return document;
  }

  /** `decision` is { kind: 'accepted' }, with `text` or `hunks` if it is not all of it, or { kind: 'rejected' }. */
  decide(id, decision) {
    const { revision = 0, mine } = this.proposals.get(id) ?? {};
    // What could not be written before is what the user accepts now.
    const again = decision.kind === 'accepted' && !decision.hunks && mine !== undefined ? { text: mine } : {};
    return this.request('proposal/decide', { id, revision, decision: { ...again, ...decision } });
  }

  #receive({ id, method, params, result, error }) {
    if (method === undefined) {
      const { resolve, reject } = this.#answers.get(id) ?? {};
      this.#answers.delete(id);
      return error ? reject?.(new Error(error.message)) : resolve?.(result);
    }
    try {
      if (!Object.hasOwn(this.handlers, method)) throw Object.assign(new Error(`Unknown: ${method}`), { code: -32601 });
      const value = this.handlers[method](params ?? {}) ?? null;
      if (id !== undefined) this.#send({ id, result: value });
    } catch (error) {
      const { code, message } = Object(error);
      if (id !== undefined) this.#send({ id, error: { code: Number(code) || -32603, message } });
    }
  }

  #send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.#bridge.stdin.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
  }
}

const CAPABILITIES = { showDocument: true, documents: true, save: true, close: true, proposals: {} };
const CURSOR = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
const linesOf = (text) => text.split(/\r?\n/);

function read(path) {
  const [, bom, text] = /^(\ufeff?)(.*)$/s.exec(readFileSync(path, 'utf8')) ?? [];
  return { text, saved: text, bom };
}

function nearest(text, { line, character }) {
  const lines = linesOf(text);
  const at = Math.min(line, lines.length - 1);
  return { line: at, character: line > at ? lines[at].length : Math.min(character, lines[at].length) };
}

const offsetOf = (text, { line, character }) =>
  text.split('\n').slice(0, line).join('\n').length + Math.min(line, 1) + character;

/** Calls `receive` with each message, wherever the chunks are cut. */
function readFrames(stream, receive) {
  let bytes = Buffer.alloc(0);
  stream.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      const head = bytes.indexOf('\r\n\r\n');
      if (head === -1) return;
      const end = head + 4 + Number(/content-length: *(\d+)/i.exec(bytes.toString('latin1', 0, head))?.[1]);
      if (bytes.length < end) return;
      receive(JSON.parse(bytes.toString('utf8', head + 4, end)));
      bytes = bytes.subarray(end);
    }
  });
}
