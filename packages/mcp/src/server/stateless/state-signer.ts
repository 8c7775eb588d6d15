/** How long a client may take to answer a round. */
const LIFETIME_MS = 60 * 60 * 1000;

const encoder = new TextEncoder();

type SealKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/**
 * Lets a client carry a server's state from one round to the next without being able to change it: JSON, its expiry and
 * an HMAC. Servers that share a secret understand each other's states.
 */
export class StateSigner {
  readonly #secret: Uint8Array | undefined;
  #key: Promise<SealKey> | undefined;

  constructor(secret: string | Uint8Array | undefined) {
    this.#secret = typeof secret === 'string' ? encoder.encode(secret) : secret;
  }

  async seal(state: unknown): Promise<string> {
    const body = Buffer.from(JSON.stringify({ state, expires: Date.now() + LIFETIME_MS })).toString('base64url');
    const signature = await crypto.subtle.sign('HMAC', await this.#cryptoKey(), encoder.encode(body));
    return `${body}.${Buffer.from(signature).toString('base64url')}`;
  }

  /** The state that was sealed; undefined when it was not sealed here, was changed, or has expired. */
  async open(sealed: string): Promise<unknown> {
    const [body = '', signature = '', ...rest] = sealed.split('.');
    if (rest.length > 0) return undefined;
    const bytes = Buffer.from(signature, 'base64url');
    const genuine = await crypto.subtle.verify('HMAC', await this.#cryptoKey(), bytes, encoder.encode(body));
    // Decoding ignores what is no base64url, so the text itself must be the one that was sealed.
    if (!genuine || bytes.toString('base64url') !== signature) return undefined;
    const { state, expires } = JSON.parse(Buffer.from(body, 'base64url').toString()) as {
      state: unknown;
      expires: number;
    };
    return expires > Date.now() ? state : undefined;
  }

  #cryptoKey(): Promise<SealKey> {
    this.#key ??= crypto.subtle.importKey(
      'raw',
      this.#secret ?? crypto.getRandomValues(new Uint8Array(32)),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['sign', 'verify'],
    );
    return this.#key;
  }
}

/** A digest that is the same for equal values, whatever the order of their members. */
export async function digest(value: unknown): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', encoder.encode(canonical(value)));
  return Buffer.from(bytes).toString('base64url');
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
