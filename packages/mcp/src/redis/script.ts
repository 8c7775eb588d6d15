/** A Lua script. Redis runs it as one step. */
export class Script {
  readonly text: string;
  /** Its name on the server; undefined until it is known. */
  sha: string | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Works out the name. Until then the whole text is sent. */
  async name(): Promise<void> {
    if (this.sha !== undefined) return;
    const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(this.text));
    this.sha = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  }
}
