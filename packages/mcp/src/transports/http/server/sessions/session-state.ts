import { isThenable } from '../../../../jsonrpc/thenable.ts';
import { mergeSnapshots, type SessionSnapshot } from '../../../../protocol/session-snapshot.ts';
import type { HttpStore, StoredState } from '../../store.ts';

/** A session as the store keeps it; plain JSON. */
export interface StoredSession {
  readonly snapshot: SessionSnapshot;
  /** The id of the principal that opened it, and the only one that may use it. */
  readonly owner?: string | undefined;
}

interface SessionStateSetting {
  readonly store: HttpStore;
  /** Milliseconds for which the store keeps a session that no process uses. */
  readonly keepMs: number;
  /** Has the position of the event bus in this process, for a new session. */
  readonly server: { readonly position?: string | undefined };
}

/** The session that it is the state of. */
export interface SessionStateOwner {
  readonly id: string;
  readonly owner: string | undefined;
  /** The client that limits count by. */
  readonly client: string | undefined;
  /** Another process has changed the session. */
  changed(snapshot: SessionSnapshot): void;
  /** The store has no such session, or could not add it. */
  gone(): void;
  failed(error: Error): void;
}

/** Processes that share a session change it rarely, so more conflicts in a row are a fault of the store. */
const MAX_CONFLICTS = 100;

/** The state of a session in the store: saves what this process changes, takes over what others have changed. */
export class SessionState {
  readonly #setting: SessionStateSetting;
  readonly #session: SessionStateOwner;
  /** As this process has it. */
  #snapshot: SessionSnapshot | undefined;
  /** As the store had it when this process last looked. */
  #stored: SessionSnapshot | undefined;
  /** Undefined until the session is in the store. */
  #version: number | undefined;
  #isSaving = false;
  /** How often the save under way found that another process was faster. */
  #conflicts = 0;
  #saving: Promise<void> | undefined;

  constructor(setting: SessionStateSetting, session: SessionStateOwner, found: StoredState | undefined) {
    this.#setting = setting;
    this.#session = session;
    if (found === undefined) return;
    this.#stored = snapshotOf(found);
    this.#snapshot = this.#stored;
    this.#version = found.version;
  }

  get snapshot(): SessionSnapshot | undefined {
    return this.#snapshot;
  }

  /** A change made here that the store has not saved yet. Rejects if it cannot. */
  get saving(): Promise<void> | undefined {
    return this.#saving;
  }

  save(snapshot: SessionSnapshot): void {
    this.#snapshot = snapshot;
    // The save under way continues with the newest snapshot.
    if (this.#isSaving) return;
    this.#isSaving = true;
    this.#conflicts = 0;
    const saving = this.#write();
    const saved = () => {
      this.#isSaving = false;
      this.#saving = undefined;
    };
    if (saving === undefined) {
      saved();
      return;
    }
    this.#saving = saving;
    saving.then(saved, (error) => {
      saved();
      this.#session.failed(error);
      if (this.#version === undefined) this.#session.gone();
    });
  }

  /** Takes over what the store has, if it is newer. */
  refresh(found: StoredState): void {
    // A save under way notices the newer version by itself.
    if (this.#isSaving || this.#version === undefined || found.version <= this.#version) return;
    this.#adopt(found);
  }

  /** Returns a promise only if the store does. */
  #write(): Promise<void> | undefined {
    const { store, keepMs, server } = this.#setting;
    const { id, owner, client } = this.#session;
    const snapshot = this.#snapshot as SessionSnapshot; // `save` has set it
    const stored: StoredSession = { snapshot, owner };
    const version =
      this.#version === undefined
        ? store.create(id, stored, { keepMs, client, position: server.position })
        : store.update(id, stored, this.#version);
    return whenKnown(version, (known) => this.#written(snapshot, known));
  }

  #written(snapshot: SessionSnapshot, version: number | undefined): Promise<void> | undefined {
    if (version === undefined) {
      return whenKnown(this.#setting.store.find(this.#session.id), (found) => this.#reconcile(found));
    }
    this.#version = version;
    this.#stored = snapshot;
    return this.#snapshot === snapshot ? undefined : this.#write();
  }

  #reconcile(found: StoredState | undefined): Promise<void> | undefined {
    if (found === undefined) {
      this.#session.gone();
      return undefined;
    }
    this.#conflicts += 1;
    if (this.#conflicts > MAX_CONFLICTS) {
      return Promise.reject(new Error('The store accepts no change of a session: each is a conflict'));
    }
    this.#adopt(found);
    return this.#write();
  }

  #adopt(found: StoredState): void {
    const theirs = snapshotOf(found);
    const [base, mine] = [this.#stored, this.#snapshot];
    this.#snapshot =
      base === undefined || mine === undefined || mine === base ? theirs : mergeSnapshots(base, mine, theirs);
    this.#stored = theirs;
    this.#version = found.version;
    this.#session.changed(this.#snapshot);
  }
}

function snapshotOf({ state }: StoredState): SessionSnapshot {
  return (state as StoredSession).snapshot;
}

/** Calls at once with a value. */
function whenKnown<T>(value: T | Promise<T>, use: (value: T) => Promise<void> | undefined): Promise<void> | undefined {
  return isThenable(value) ? Promise.resolve(value as Promise<T>).then(use) : use(value as T);
}
