import { whenKnown } from '../../../../jsonrpc/thenable.ts';
import { mergeSnapshots, type SessionSnapshot } from '../../../../protocol/session-snapshot.ts';
import type { StoredState } from '../../store.ts';
import type { HttpSessions } from './http-sessions.ts';
import type { LocalSession } from './local-session.ts';

/** A session as the store keeps it; plain JSON. */
export interface StoredSession {
  readonly snapshot: SessionSnapshot;
  /** The id of the principal that opened it, and the only one that may use it. */
  readonly owner?: string | undefined;
}

const GONE = 'The session is gone';
/** Processes that share a session change it rarely, so more conflicts in a row are a fault of the store. */
const MAX_CONFLICTS = 100;

/** Saves what this process changes of a session in the store, and takes over what others have changed. */
export class SessionSaver {
  readonly #sessions: HttpSessions;
  readonly #session: LocalSession;
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

  constructor(sessions: HttpSessions, session: LocalSession, found: StoredState | undefined) {
    this.#sessions = sessions;
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
      if (this.#version === undefined) this.#session.end(GONE);
    });
  }

  /** Takes over what the store has, if it is newer. */
  refresh(found: StoredState): void {
    // A save under way notices the newer version by itself.
    if (this.#isSaving || this.#version === undefined || found.version <= this.#version) return;
    this.#adopt(found);
  }

  /** Returns a promise only if the store does. */
  #write(): undefined | Promise<undefined> {
    const { store, keepMs, server } = this.#sessions;
    const { id, owner, client } = this.#session;
    const snapshot = this.#snapshot as SessionSnapshot; // `save` has set it
    const stored: StoredSession = { snapshot, owner };
    const version =
      this.#version === undefined
        ? store.create(id, stored, { keepMs, client, position: server.position })
        : store.update(id, stored, this.#version);
    return whenKnown(version, (known) => this.#written(snapshot, known));
  }

  #written(snapshot: SessionSnapshot, version: number | undefined): undefined | Promise<undefined> {
    if (version === undefined) {
      return whenKnown(this.#sessions.store.find(this.#session.id), (found) => this.#reconcile(found));
    }
    this.#version = version;
    this.#stored = snapshot;
    return this.#snapshot === snapshot ? undefined : this.#write();
  }

  #reconcile(found: StoredState | undefined): undefined | Promise<undefined> {
    if (found === undefined) {
      this.#session.end(GONE);
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
