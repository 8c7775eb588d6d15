/** A store could not be reached, or refused. The message may be shown to clients: it holds no secrets. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}
