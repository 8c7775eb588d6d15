/** What a message says to the HTTP transport. It travels through jsonrpc/ as an opaque hint. */
export interface HttpHints {
  /** Sent with the request, besides the headers of the connection. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The hints in what `Connection.send` was given, if they are for HTTP. */
export function httpHintsOf(hints: { readonly transport?: unknown } | undefined): HttpHints | undefined {
  const { headers } = (hints?.transport ?? {}) as Partial<HttpHints>;
  return typeof headers === 'object' ? { headers } : undefined;
}
