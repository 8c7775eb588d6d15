import type { Result } from './run-checks.ts';

/** A library whose servers all have the same findings. */
interface KnownSdk {
  readonly name: string;
  /** What is seen of its servers alone. */
  readonly sign: RegExp;
  readonly findings: readonly { readonly ids: RegExp; readonly seen: RegExp }[];
}

/** An error of zod about a whole request, as text in the error that is sent. */
const SCHEMA_ERROR =
  /^the error \{"code":-32603,"message":"\[\\n {2}\{\\n.*(\\"path\\": \[\\n {6}\\"params\\"|\u2026$)/;

/** Measured on servers that are written as the guides of the libraries show. */
const KNOWN_SDKS: readonly KnownSdk[] = [
  {
    name: 'the official TypeScript SDK',
    sign: /"code":-32603,"message":"\[\\n {2}\{\\n.*\\"path\\": \[\\n {6}\\"params\\"/,
    findings: [
      { ids: /./, seen: SCHEMA_ERROR },
      // It drops what it can't read.
      {
        ids: /^(parse-error-answered|non-object-answered|jsonrpc-(version|missing)|method-type|params-(type|null|array)|message-(empty|without-method|array)|batch-(answered|empty)|stdio-bom)$/,
        seen: /^no answer$/,
      },
      { ids: /-bad-cursor$/, seen: /^the result / },
      { ids: /^unknown-tool$/, seen: /"MCP error -32602: Tool / },
      { ids: /^resource-uri-relative$/, seen: /"code":-32603,"message":"Invalid URL"/ },
      { ids: /^stdio-last-line$/, seen: /^the process exited with code 0$/ },
      { ids: /^refused-id$/, seen: /"Parse error: Invalid JSON-RPC message"/ },
      { ids: /^batch-refused$/, seen: /"id":"b1"/ },
      { ids: /^http-accept-wildcard$/, seen: /"Not Acceptable: Client must accept both / },
      { ids: /^http-get-twice$/, seen: /^HTTP 409/ },
    ],
  },
];

/** Says of each finding whether it is one of the library that the server is built on. */
export function withSdk(results: readonly Result[]): Result[] {
  const sdk = KNOWN_SDKS.find(({ sign }) => results.some(({ seen = '' }) => sign.test(seen)));
  if (sdk === undefined) return [...results];
  return results.map((result) => {
    const { id, status, seen = '' } = result;
    const isOfSdk = status === 'failed' && sdk.findings.some((known) => known.ids.test(id) && known.seen.test(seen));
    return isOfSdk ? { ...result, sdk: sdk.name } : result;
  });
}
