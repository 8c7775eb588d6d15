/** How much of one message is kept. */
export interface RecordLimits {
  /** Characters of one text. */
  readonly text: number;
  /** Characters of all texts and names together. */
  readonly texts: number;
  readonly values: number;
  readonly depth: number;
}

const RECORD_LIMITS: RecordLimits = { text: 4000, texts: 32_000, values: 2000, depth: 24 };

const REDACTED = '[redacted]';

/** A copy of a JSON value without secrets. Long texts are cut, and say how long they are. */
export function recordable(value: unknown, limits: RecordLimits = RECORD_LIMITS): unknown {
  return new Copy(limits).of(value, 0);
}

class Copy {
  readonly #limits: RecordLimits;
  #characters: number;
  #values: number;

  constructor(limits: RecordLimits) {
    this.#limits = limits;
    this.#characters = limits.texts;
    this.#values = limits.values;
  }

  of(value: unknown, depth: number): unknown {
    this.#values -= 1;
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= this.#limits.depth) return '[nested too deeply to show]';
    if (Array.isArray(value)) return this.#list(value, depth);
    return this.#object(value as { readonly [name: string]: unknown }, depth);
  }

  #list(items: readonly unknown[], depth: number): unknown[] {
    const copied: unknown[] = [];
    for (const item of items) {
      if (this.#isFull()) {
        copied.push(`[${items.length - copied.length} more not shown]`);
        break;
      }
      copied.push(this.of(item, depth + 1));
    }
    return copied;
  }

  #object(members: { readonly [name: string]: unknown }, depth: number): object {
    const names = Object.keys(members);
    const copied = new Map<string, unknown>();
    for (const name of names) {
      if (this.#isFull()) {
        copied.set('…', `[${names.length - copied.size} more not shown]`);
        break;
      }
      const value = members[name];
      if (isEnvironment(name)) copied.set(this.#text(name), withoutValues(value));
      else if (typeof value === 'string' && isSecretName(name)) copied.set(this.#text(name), REDACTED);
      else copied.set(this.#text(name), this.of(value, depth + 1));
    }
    return Object.fromEntries(copied);
  }

  #isFull(): boolean {
    return this.#values <= 0 || this.#characters <= 0;
  }

  #text(text: string): string {
    const room = Math.max(0, Math.min(this.#limits.text, this.#characters));
    // A secret that begins within the room must not be cut before it is recognized.
    const kept = withoutSecrets(text.slice(0, room + LONGEST_SECRET)).slice(0, room);
    this.#characters -= kept.length;
    return text.length <= room ? kept : `${kept}… [cut: ${text.length} characters in all]`;
  }
}

const LONGEST_SECRET = 512;
const SECRET_NAME =
  /(?:token|secret|password|passwd|passphrase|authorization|apikey|accesskey|privatekey|cookie|credentials?)$/;

function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z]/g, '');
  // The name that MCP gives to the sender of a request for progress.
  return plain !== 'progresstoken' && SECRET_NAME.test(plain);
}

function isEnvironment(name: string): boolean {
  return name === 'env' || name === 'environment';
}

/** The names of environment variables, without what they are set to. */
function withoutValues(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return REDACTED;
  if (Array.isArray(value)) return value.slice(0, 200).map(() => REDACTED);
  const names = Object.keys(value).slice(0, 200);
  return Object.fromEntries(names.map((name) => [name, REDACTED]));
}

const SECRETS: readonly [RegExp, string][] = [
  // Authorization headers.
  [/\b(Bearer|Basic)\s+[\w.~+/-]{8,}=*/gi, `$1 ${REDACTED}`],
  // What services call their keys: Anthropic, OpenAI, GitHub, GitLab, Slack, AWS, Google, npm.
  [
    /\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|npm_\w{30,})/g,
    REDACTED,
  ],
  // A JSON Web Token.
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, REDACTED],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  // NAME_TOKEN=value, "api_key": "value".
  [
    /((?:token|secret|password|passwd|passphrase|authorization|api[_-]?key|access[_-]?key|private[_-]?key)["']?\s*[=:]\s*["']?)[^\s"',;&]{4,}/gi,
    `$1${REDACTED}`,
  ],
];

function withoutSecrets(text: string): string {
  return SECRETS.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text);
}
