import type { Duplex } from 'node:stream';
import type { WindowServices, Windows } from './bridge.ts';
import { together } from './close-all.ts';
import { ContentLengthConnection } from './editors/remote/content-length-connection.ts';
import type { JoinedEditor } from './editors/remote/joined-editor.ts';
import { acceptEditor, type OpenPage, type RemoteEditor } from './editors/remote/remote-editor.ts';
import { mentionInWords } from './mention-in-words.ts';

type Status = Parameters<RemoteEditor['showStatus']>[0];

export interface EditorWindowsOptions extends WindowServices {
  readonly editor: JoinedEditor;
  /** Where large texts for editors are kept. */
  readonly stateFolder: string;
  /** Opens the review in the browser. */
  readonly openPage: OpenPage;
  /** Further members of each status. */
  readonly facts?: (() => Partial<Status>) | undefined;
  /** A window has joined or left. */
  readonly onChange?: (() => void) | undefined;
}

const MAX_WINDOWS = 32;
const ADVICE = { resume: 'hawser resume resumes sharing', start: 'hawser run starts one' };

/** The windows of editors that have joined a bridge: their selection, their reviewers and what they are told. */
export class EditorWindows implements Windows {
  readonly #options: EditorWindowsOptions;
  readonly #joined = new Map<RemoteEditor, () => void>();
  #isStatusDue = false;
  readonly #unsubscribe: () => void;

  constructor(options: EditorWindowsOptions) {
    this.#options = options;
    this.#unsubscribe = options.reviews.subscribe(() => this.changed());
  }

  get size(): number {
    return this.#joined.size;
  }

  accept(stream: Duplex): void {
    if (this.#joined.size >= MAX_WINDOWS) {
      this.#options.onProblem(new Error(`An editor was refused: ${MAX_WINDOWS} have joined already`));
      stream.destroy();
      return;
    }
    void this.#serve(stream).catch(this.#options.onProblem);
  }

  /** The returned function lets it leave. */
  join(window: RemoteEditor): () => void {
    const { editor, reviews, access } = this.#options;
    const stops = [
      editor.join(window),
      window.reviewer === undefined ? () => {} : reviews.attach(window.reviewer),
      window.subscribe((event) => {
        if (event.kind === 'mention') void this.#explain(window, event);
      }),
    ];
    const leave = () => {
      if (!this.#joined.delete(window)) return;
      for (const stop of stops) stop();
      this.#options.onChange?.();
    };
    this.#joined.set(window, leave);
    this.#options.onChange?.();
    window.onPause((paused) => {
      access.paused = paused;
    });
    window.onOpenPage(this.#options.openPage);
    this.changed();
    return leave;
  }

  /** Windows receive one status for all changes of one turn. */
  changed(): void {
    if (this.#isStatusDue || this.#joined.size === 0) return;
    this.#isStatusDue = true;
    setImmediate(() => {
      this.#isStatusDue = false;
      const status = { ...statusForEditors(this.#options), ...this.#options.facts?.() };
      for (const window of this.#joined.keys()) window.showStatus(status);
    });
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    const windows = [...this.#joined];
    for (const [, leave] of windows) leave();
    await together(windows, ([window]) => window.close());
  }

  async #serve(stream: Duplex): Promise<void> {
    const { identity, stateFolder, onProblem } = this.#options;
    let leave = () => {};
    const window = await acceptEditor({
      connection: new ContentLengthConnection(stream, stream),
      stateFolder,
      serverInfo: { name: identity.name, version: identity.hawserVersion ?? identity.version },
      isShared: true,
      onProblem,
      onEnd: () => leave(),
    });
    leave = this.join(window);
  }

  async #explain(window: RemoteEditor, event: Parameters<typeof mentionInWords>[0]): Promise<void> {
    const { access, agents } = this.#options;
    const { type, message } = await mentionInWords(event, { access, agents: agents(), advice: ADVICE });
    window.showMessage(type, message);
  }
}

/** What every editor is told of the bridge. */
export function statusForEditors({
  agents,
  access,
  reviews,
}: Pick<WindowServices, 'agents' | 'access' | 'reviews'>): Status {
  return {
    agents: agents().flatMap((agent) =>
      agent.clients().flatMap(({ name, version, state }) => {
        if (state === 'closed') return [];
        return [{ name, state, kind: agent.name, ...(version !== undefined && { version }) }];
      }),
    ),
    paused: access.paused,
    proposals: reviews.list().length,
    environment: Object.assign({}, ...agents().map(({ environment }) => environment)),
  };
}
